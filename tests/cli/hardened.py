"""The hardening of the binary: how it is compiled and linked.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/hardened.py PATH_TO_BINARY
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import harness
from harness import BINARY

SKIPPED = 77  # as CTest is told


def said(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


class Hardened(unittest.TestCase):
    def libraries(self):
        build = pathlib.Path(BINARY).parent
        # Not those that an older build left in the folder.
        targets = (build / "CMakeFiles/TargetDirectories.txt").read_text().splitlines()
        names = {f"lib{pathlib.Path(target).stem}.a" for target in targets}
        found = [path for path in build.glob("libattn_*.a") if path.name in names]
        self.assertGreater(len(found), 10)
        return found

    def test_what_is_relocated_is_read_only(self):
        headers = said("readelf", "-lW", BINARY)
        self.assertIn("GNU_RELRO", headers)
        self.assertRegex(said("readelf", "-dW", BINARY), r"BIND_NOW|\bNOW\b")
        stack = next(line for line in headers.splitlines() if "GNU_STACK" in line)
        self.assertRegex(stack, r" RW +0x")  # not executable
        self.assertIn("DYN (", said("readelf", "-hW", BINARY))  # at an address that nobody knows before

    def test_stacks_are_guarded_and_copies_bounded(self):
        guarded, checked = [], []
        for library in self.libraries():
            needed = said("nm", "-u", library)
            guarded += ["__stack_chk_fail" in needed]
            checked += ["__glibcxx_assert_fail" in needed]
        self.assertTrue(all(guarded), guarded)
        self.assertTrue(any(checked))

    @unittest.skipUnless(os.uname().machine == "x86_64", "of x86 alone")
    def test_jumps_are_marked(self):
        for library in self.libraries():
            notes = said("readelf", "-nW", library)
            self.assertEqual(notes.count("IBT, SHSTK"), notes.count("File: "), library)


if __name__ == "__main__":
    with open(BINARY, "rb") as file:
        if b"__asan_init" in file.read():
            print("skipped: a sanitizer looks closer")
            sys.exit(SKIPPED)
    if shutil.which("readelf") is None:
        print("skipped: readelf is not installed (Debian's package binutils)")
        sys.exit(SKIPPED)
    harness.main()
