"""Times whole processes side by side, as ratios to an empty C++ program.

    /usr/bin/python3 tests/bench/startup.py build/release/attn-walkthrough

The PyTorch program is the same chapter of golden/chapters.py, where PyTorch is installed.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
binary = str(pathlib.Path(sys.argv[1]).resolve())


def milliseconds(command, runs):
    """Wall times from spawn to exit; posix_spawn adds less than subprocess does."""
    times = []
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    for _ in range(runs):
        start = time.perf_counter()
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
        if os.waitpid(pid, 0)[1] != 0:
            sys.exit(f"failed: {command}")
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "empty.cpp")
    source.write_text("int main() {}\n")
    empty = str(pathlib.Path(folder, "empty"))
    subprocess.run(["c++", "-O2", str(source), "-o", empty], check=True)
    commands = {"empty C++ program": ([empty], 1000)}
    for chapter in ("simplified", "trainable", "causal", "dropout", "multihead", "cross"):
        commands[f"attn-walkthrough {chapter}"] = ([binary, chapter, "--seed", "123"], 1000)
    if subprocess.run(["/usr/bin/python3", "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0:
        commands["PyTorch causal"] = (["/usr/bin/python3", str(ROOT / "golden/chapters.py"), "causal"], 5)
    baseline = milliseconds(*commands["empty C++ program"])
    for name, (command, runs) in commands.items():
        median = milliseconds(command, runs)
        print(f"{name:28} {median:9.2f} ms  {median / baseline:8.1f} x")
