#!/usr/bin/env python3
"""Compiles each file by itself, and each header that has no file of its own: alone.py BUILD_FOLDER

No code is made: warnings and missing includes show without it. A header that the file of the same name includes first needs no
look of its own. BUILD_FOLDER has the commands (compile_commands.json)."""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "chapters", "tests")


def commands_of(folder):
    """By file: where and how it is compiled, without its own name and what comes out."""
    found = {}
    for entry in json.loads((folder / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        out = words.index("-o")
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS:
            left = words[:out] + words[out + 2:]
            found[path] = (entry["directory"], [word for word in left if word not in ("-c", entry["file"])])
    return found


def is_looked_at(header, commands):
    """Whether a file of the same name is compiled and includes it before anything else."""
    own = header.with_suffix(".cpp")
    first = own in commands and re.search(r'^#include ["<](.*)[">]', own.read_text(encoding="utf-8"), flags=re.M)
    return bool(first) and str(header).endswith(first.group(1))


def looks(commands):
    """What is to be compiled, and how: a header as the files beside it."""
    for path, (directory, words) in commands.items():
        yield path, directory, words
    for header in sorted(header for folder in FOLDERS for header in (ROOT / folder).rglob("*.hpp")):
        beside = [path for path in commands if path.is_relative_to(header.parent)]
        if beside and not is_looked_at(header, commands):
            users = [path for path in beside if header.name in path.read_text(encoding="utf-8")]
            directory, words = commands[(users or beside)[0]]
            yield header, directory, [*words, "-Wno-pragma-once-outside-header"]


def fault_of(look):
    path, directory, words = look
    done = subprocess.run([*words, "-fsyntax-only", "-x", "c++", path], cwd=directory, capture_output=True, text=True)
    return done.stderr or ("failed" if done.returncode else "")


def main():
    all_looks = list(looks(commands_of(pathlib.Path(sys.argv[1]).resolve())))
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for (path, _, _), fault in zip(all_looks, threads.map(fault_of, all_looks)):
            if fault:
                wrong += 1
                print(f"{path.relative_to(ROOT)}:\n{fault}", flush=True)
    headers = sum(path.suffix == ".hpp" for path, _, _ in all_looks)
    print(f"{len(all_looks) - headers} files and {headers} headers, {wrong} wrong")
    return 1 if wrong or not all_looks else 0


if __name__ == "__main__":
    sys.exit(main())
