"""Times `verify`: the processor time of whole processes, the best of several.

    /usr/bin/python3 tests/bench/verify.py build/release/attn-walkthrough [PAGE...]

The pages given, or the published ones of golden/pages and those of tests/pages; then 50 MB of small tensors.
"""
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TENSORS = 704_226
binary = str(pathlib.Path(sys.argv[1]).resolve())


def seconds(page, runs):
    """In user and kernel mode: other processes do not count."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    times = []
    for _ in range(runs):
        pid = os.posix_spawn(binary, [binary, "verify", str(page)], os.environ, file_actions=quiet)
        _, status, used = os.wait4(pid, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            sys.exit(f"failed: {page}")
        times.append(used.ru_utime + used.ru_stime)
    return min(times)


usual = [pathlib.Path(page) for page in sys.argv[2:]] or [
    *sorted((ROOT / "golden/pages").glob("*.txt")), *sorted((ROOT / "tests/pages").glob("*.txt"))]
for page in usual:
    print(f"{page.name:32} {seconds(page, 10) * 1000:9.1f} ms", flush=True)
with tempfile.TemporaryDirectory() as folder:
    big = pathlib.Path(folder, "big.txt")
    with big.open("w") as out:
        for i in range(TENSORS):
            out.write(f"tensor([[0.{i:06d}, 0.4321, 0.5678],\n        [0.8765, 0.2468, 0.{i % 9973:04d}]])\n")
    name = f"{TENSORS:,} tensors, {big.stat().st_size / 1e6:.0f} MB"
    print(f"{name:32} {seconds(big, 3) * 1000:9.1f} ms")
