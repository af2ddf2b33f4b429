"""Each writing system call fails once, and existing files stay complete.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/faults.py PATH_TO_BINARY

strace makes the calls fail: the n-th write, the n-th rename and so on, for every n that a run comes to, or where it
comes to hundreds, for some of them, others each day: one of seven, or of --every N.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from harness import BINARY, HANG_LIMIT, day, output_of, sample

SKIPPED = 77  # as CTest is told
CALLS = {"write": ("ENOSPC", "EIO"), "fsync": ("EIO",), "close": ("EIO",), "mkdir": ("ENOSPC",), "openat": ("EACCES",),
         "renameat2": ("EIO", "EACCES"), "rename": ("EIO",), "link": ("EPERM",), "fchmod": ("EPERM",),
         "fchown": ("EPERM",), "mmap": ("ENOMEM",), "newfstatat": ("EACCES",)}
MANY = 300  # calls
EVERY = 7


def traced(*options_and_command, folder):
    return subprocess.run(["strace", "-qq", "-f", *options_and_command], cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=HANG_LIMIT)


def why_not():
    """The reason why tracing is impossible here; empty if it is possible."""
    if shutil.which("strace") is None:
        return "strace is not installed (Debian's package strace)"
    with open(BINARY, "rb") as file:
        if b"__asan_init" in file.read():
            return "a sanitizer makes each of hundreds of runs slow, and leaks are not seen under a tracer"
    done = traced("-o", os.devnull, "true", folder="/")
    return done.stderr.decode().strip() if done.returncode != 0 else ""


def contents(folder):
    """The digests of all files, and the folders."""
    found = {}
    for at, folders, names in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(at, name), folder)] = None
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                found[os.path.relpath(os.path.join(at, name), folder)] = hashlib.sha256(file.read()).hexdigest()[:8]
    return found


class Faults(unittest.TestCase):
    def prepared(self, earlier):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for command in earlier:
            output_of(*command, cwd=folder.name)
        return folder.name

    def counts(self, earlier, command):
        """Counts each system call of a run after it starts to write files."""
        folder = self.prepared(earlier)
        log = os.path.join(folder, "log")
        done = traced("-o", log, BINARY, *command, folder=folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(log, encoding="utf-8", errors="replace") as file:
            names = re.findall(r"^\d+ +(\w+)\(", file.read(), re.M)
        os.remove(log)
        return {name: names.count(name) for name in CALLS if name in names}, contents(folder)

    def check(self, command, earlier=()):
        counts, new = self.counts(earlier, command)
        every = harness.EVERY * (EVERY if sum(counts.values()) > MANY else 1)
        old = contents(self.prepared(earlier))
        folder = self.prepared(earlier)
        failed = 0
        for call, count in counts.items():
            for error in CALLS[call]:
                step = min(every, count)
                for when in range(1 + day() % step, count + 1, step):
                    with self.subTest(command=command, call=call, error=error, when=when):
                        inject = f"inject={call}:error={error}:when={when}"
                        done = traced("-o", os.devnull, "--seccomp-bpf", "-e", f"trace={call}", "-e", inject, BINARY, *command,
                                      folder=folder)
                        found = contents(folder)
                        self.assertIn(done.returncode, (0, 2), done)
                        self.assertEqual(found, new if done.returncode == 0 else old)
                        if done.returncode == 2 and call != "write":
                            self.assertEqual(done.stdout, b"")
                            self.assertRegex(done.stderr, rb"\Aattn-walkthrough: error: [^\n]+\n\Z")
                            self.assertNotIn(b"one is in the other", done.stderr)
                        failed += done.returncode == 2
                        if found != old:
                            folder = self.prepared(earlier)
        self.assertGreater(failed, 3 // harness.EVERY)
        print(f"{' '.join(command)}: {sum(counts.values())} calls, {failed} failures", file=sys.stderr)

    def test_a_new_file(self):
        self.check(["causal", "-o", "text"])

    def test_a_replaced_file(self):
        self.check(["causal", "-o", "text", "--force"], earlier=[["causal", "--seed", "1", "-o", "text"]])

    def test_a_new_folder(self):
        self.check(["trainable", "--save", "new/steps"])

    def test_a_replaced_folder(self):
        self.check(["causal", "--save", "steps", "--force"], earlier=[["trainable", "--save", "steps"]])

    def test_a_file_of_tensors(self):
        for name in ("steps.npz", "steps.safetensors"):
            self.check(["causal", "--save", f"new/{name}"])
            self.check(["causal", "--save", name, "-o", "text", "--force"],
                       earlier=[["dropout", "--save", name, "-o", "text"]])

    def test_every_form(self):
        for arguments in (["--format", "json"], ["--format", "markdown"], ["--format", "html"], ["--heatmap", "--explain"],
                          ["--cell", "attn_scores[1, 2]"], ["--what-if", "no-mask"]):
            self.check(["causal", *arguments, "-o", "steps"])

    def test_all_chapters(self):
        self.check(["all", "--save", "steps", "-o", "text", "--force"],
                   earlier=[["all", "--seed", "1", "--save", "steps", "-o", "text"]])
        self.check(["all", "--format", "markdown", "-o", "text"])

    def test_large_tensors(self):
        """Large tensors get their memory from the system one by one."""
        self.check(["causal", "--tokens", "200", "--save", "steps"])

    def test_memory_that_is_used_up(self):
        """Memory runs out at some moment after OpenBLAS has its own. Without brk, malloc maps all its memory."""
        for name in ("steps", "steps.npz", "steps.safetensors"):
            self.check_memory(name)

    def check_memory(self, name):
        mine = 3  # the C library's first, the check for OpenBLAS and OpenBLAS's own
        command = ["causal", "--tokens", "200", "--threshold", "999999", "--save", name, "-o", "text"]
        all_mapped = ["-e", "inject=brk:retval=0:when=3+"]
        log = os.path.join(self.prepared([]), "log")
        self.assertEqual(traced("-o", log, *all_mapped, BINARY, *command, folder=self.prepared([])).returncode, 0)
        with open(log, encoding="utf-8", errors="replace") as file:
            count = len(re.findall(r"^\d+ +mmap\(", file.read(), re.M))
        failed = 0
        for when in sample(range(mine + 1, count + 1)):
            folder = self.prepared([])
            done = traced("-o", os.devnull, *all_mapped, "-e", f"inject=mmap:error=ENOMEM:when={when}+", BINARY, *command,
                          folder=folder)
            self.assertIn(done.returncode, (0, 2), (when, done))
            if done.returncode == 2:
                self.assertRegex(done.stderr, rb"\Aattn-walkthrough: error: [^\n]* memory[^\n]*; [^\n]+\n\Z")
            self.assertEqual(sorted(os.listdir(folder)), [name, "text"] if done.returncode == 0 else [])
            failed += done.returncode == 2
        self.assertGreater(failed, 2 // harness.EVERY)  # text and archive need no more with their size
        print(f"{' '.join(command)}: {count} mappings, {failed} failures", file=sys.stderr)

    def test_both(self):
        self.check(["causal", "--save", "steps", "-o", "text", "--force"],
                   earlier=[["dropout", "--save", "steps", "-o", "text"]])

    def test_without_flags_of_rename(self):
        """As on file systems without RENAME_NOREPLACE and RENAME_EXCHANGE."""
        for command, earlier in ((["causal", "-o", "text"], []), (["causal", "--save", "steps"], []),
                                 (["causal", "--save", "steps", "--force"], [["dropout", "--save", "steps"]]),
                                 (["causal", "--save", "s.npz", "--force"], [["dropout", "--save", "s.npz"]])):
            folder = self.prepared(earlier)
            plain = ["-o", os.devnull, "-e", "inject=renameat2:error=EINVAL"]
            self.assertEqual(traced(*plain, BINARY, *command, folder=folder).returncode, 0)
            self.assertEqual(contents(folder), self.counts(earlier, command)[1])
            done = traced(*plain, BINARY, *[word for word in command if word != "--force"], folder=folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"exists", done.stderr)

    def test_killed_without_flags_of_rename(self):
        """A file's path has the old or the new file. So has a folder's, or the complete old folder is beside it."""
        killed = 0
        for command, earlier in ((["causal", "--save", "s.npz", "--force"], [["trainable", "--save", "s.npz"]]),
                                 (["causal", "-o", "text", "--force"], [["trainable", "-o", "text"]]),
                                 (["simplified", "--save", "steps", "--force"], [["trainable", "--save", "steps"]])):
            _, new = self.counts(earlier, command)
            old = contents(self.prepared(earlier))
            for call in ("link", "rename", "unlink", "rmdir"):
                for when in range(1, 30):
                    with self.subTest(command=command, call=call, when=when):
                        folder = self.prepared(earlier)
                        done = traced("-o", os.devnull, "-e", "inject=renameat2:error=EINVAL",
                                      "-e", f"inject={call}:signal=SIGKILL:when={when}", BINARY, *command, folder=folder)
                        found = contents(folder)
                        there = {name: digest for name, digest in found.items() if not name.startswith(".")}
                        if done.returncode == 0:
                            self.assertEqual(found, new)
                            break
                        killed += 1
                        if "steps" in there or "--save" not in command or "s.npz" in command:
                            self.assertIn(there, (old, new))
                        else:
                            aside = {name.split("/")[0] for name in found if name.split("/")[0].endswith(".old")}
                            self.assertEqual((there, len(aside)), ({}, 1))
                            os.rename(os.path.join(folder, *aside), os.path.join(folder, "steps"))
                            self.assertEqual({name: digest for name, digest in contents(folder).items()
                                              if not name.startswith(".")}, old)
        self.assertGreater(killed, 20)

    def test_what_others_put_in_stays(self):
        """Others add files to a folder while it is replaced: before it is inspected, and while it is removed."""
        for injected, code in (("renameat2:delay_exit=700000:when=2", 2), ("unlink:delay_enter=700000:when=1", 0)):
            folder = self.prepared([["trainable", "--save", "steps"]])
            place = os.path.join(folder, "steps")
            before = os.stat(place).st_ino
            inside = os.open(place, os.O_RDONLY)
            command = ["strace", "-qq", "-f", "-o", os.devnull, "-e", f"inject={injected}", BINARY, "causal", "--save", "steps", "--force"]
            with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
                while os.stat(place).st_ino == before and process.poll() is None:
                    time.sleep(0.005)
                time.sleep(0.2)
                os.close(os.open("mine", os.O_WRONLY | os.O_CREAT, dir_fd=inside))
                said = process.stderr.read().decode()
                self.assertEqual(process.wait(HANG_LIMIT), code, said)
            self.assertIn("mine", os.listdir(inside))
            if code == 2:
                self.assertEqual(os.stat(place).st_ino, before)
                self.assertIn("'steps' has 'mine', which no --save wrote", said)
                self.assertEqual(os.listdir(folder), ["steps"])
            else:
                left = re.fullmatch(r"attn-walkthrough: note: --save replaced 'steps', but cannot remove all of the "
                                    r"old folder; the rest is in '(\.attn-walkthrough\.[\d.]+\.tmp)'\n", said)
                self.assertEqual(os.listdir(os.path.join(folder, left[1])), ["mine"])
                self.assertEqual(sorted(os.listdir(folder)), [left[1], "steps"])
            os.close(inside)

    def test_the_names_of_new_parents_are_on_the_disk(self):
        folder = self.prepared([])
        log = os.path.join(folder, "log")
        self.assertEqual(traced("-y", "-o", log, "-e", "trace=fsync", BINARY, "causal", "--save", "a/b/steps", folder=folder).returncode, 0)
        with open(log, encoding="utf-8", errors="replace") as file:
            synced = set(re.findall(r"fsync\(\d+<([^>]*)>", file.read()))
        self.assertLessEqual({os.path.join(folder, name).rstrip("/") for name in ("", "a", "a/b")}, synced)

    def test_names_may_be_taken_late(self):
        """Another process creates the target after the check."""
        for command in (["causal", "-o", "text"], ["causal", "--save", "steps"], ["causal", "--save", "s.npz"]):
            folder = self.prepared([])
            done = traced("-o", os.devnull, "-e", "inject=renameat2:error=EEXIST", BINARY, *command, folder=folder)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"exists", done.stderr)
            self.assertEqual(contents(folder), {})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--every", type=int, default=EVERY)
    asked, rest = parser.parse_known_args()
    EVERY = asked.every
    reason = why_not()
    if reason:
        print("skipped: nothing can be made to fail:", reason)
        sys.exit(SKIPPED)
    harness.main(rest)
