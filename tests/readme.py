"""Checks that the README and the guides still show what the program prints.

    /usr/bin/python3 tests/readme.py PATH_TO_BINARY README.md GUIDE.md...

Every ```console block is read: a line `$ attn-walkthrough ...` (pipes to head and others allowed) is run by sh with
the built program on PATH, and the lines up to the next `$ ` must be its output. Lines `...` stand for left-out ones.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

binary, *pages = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
commands = failures = 0
for block in re.findall(r"^```console\n(.*?)^```", "\n".join(page.read_text() for page in pages), re.S | re.M):
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
        if not command.startswith("attn-walkthrough"):
            continue
        commands += 1
        with tempfile.TemporaryDirectory() as folder:
            path = f"{binary.parent}:{os.environ['PATH']}"
            run = subprocess.run(["sh", "-c", command], env={**os.environ, "PATH": path}, cwd=folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in shown.splitlines())
        if not re.fullmatch(pattern, run.stdout):
            failures += 1
            print(f"$ {command}\nthe page shows:\n{shown}the program prints:\n{run.stdout}")
print(f"{commands} commands, {failures} failures")
sys.exit(failures > 0 or commands == 0)
