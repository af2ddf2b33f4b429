"""Each system call that writes fails once, or kills the program: what is on the disk is whole, old or new.

strace makes the calls fail: the n-th write, the n-th rename and so on, for every n that a run comes to, or where it
comes to hundreds, for some of them, others each day: one of seven, or of --every N."""
import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import harness
from harness import BINARY, HANG_LIMIT, day, output_of

SKIPPED = 77  # as CTest is told
CALLS = {"write": ("ENOSPC", "EIO"), "close": ("EIO",), "mkdir": ("ENOSPC",), "openat": ("EACCES",), "renameat2": ("EIO",),
         "rename": ("EIO",), "link": ("EPERM",), "chmod": ("EPERM",), "mmap": ("ENOMEM",)}
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT)
MANY = 300  # calls
EVERY = 7


def traced(*options_and_command, folder):
    return subprocess.run(["strace", "-qq", "-f", *options_and_command], cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=HANG_LIMIT)


def why_not():
    """The reason why tracing is impossible here; empty if it is possible."""
    if shutil.which("strace") is None:
        return "strace is not installed (Debian's package strace)"
    if harness.has_sanitizer():
        return "a sanitizer makes each of hundreds of runs slow, and leaks are not seen under a tracer"
    done = traced("-o", os.devnull, "true", folder="/")
    return done.stderr.decode().strip() if done.returncode != 0 else ""


def contents(folder):
    """The digests of all files, and the folders, by the name that they lie under."""
    found = {}
    for at, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(at, name)
            place = os.path.relpath(path, folder)
            digest = None
            if name in names:
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()[:8]
            found.setdefault(place.split(os.sep)[0], {})[place] = digest
    return found


def errors(call, _):
    return [f"error={name}" for name in CALLS[call]]


def signals(_, when):
    return [f"signal={SIGNALS[(when + day()) % len(SIGNALS)].name}"]


class Faults(unittest.TestCase):
    def prepared(self, earlier):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for command in earlier:
            output_of(*command, cwd=folder.name)
        return folder.name

    def counts(self, earlier, command):
        """How often a run makes each system call, and what it leaves."""
        folder = self.prepared(earlier)
        log = os.path.join(folder, "log")
        done = traced("-o", log, BINARY, *command, folder=folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(log, encoding="utf-8", errors="replace") as file:
            names = re.findall(r"^\d+ +(\w+)\(", file.read(), re.M)
        os.remove(log)
        return {name: names.count(name) for name in CALLS if name in names}, contents(folder)

    def check(self, command, earlier=(), kinds=errors):
        """Each call in turn, or some, fails or gets a signal: all that is on the disk is old or new."""
        counts, new = self.counts(earlier, command)
        old = contents(self.prepared(earlier))
        every = harness.EVERY * (EVERY if sum(counts.values()) > MANY else 1)
        both = "-o" in command and "--save" in command
        ended = 0
        for call, count in counts.items():
            step = min(every, count)
            for when, kind in ((when, kind) for when in range(1 + day() % step, count + 1, step) for kind in kinds(call, when)):
                with self.subTest(command=command, call=call, kind=kind, when=when):
                    folder = self.prepared(earlier)
                    done = traced("-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{kind}:when={when}", BINARY, *command,
                                  folder=folder)
                    found = contents(folder)
                    if done.returncode == 0:
                        self.assertEqual((found, done.stderr), (new, b""))
                        continue
                    ended += 1
                    if kinds is signals:
                        self.assertEqual((done.returncode, done.stderr), (-signal.Signals[kind.partition("=")[2]], b""))
                    elif call == "write":
                        self.assertEqual(done.returncode, 2)
                    else:  # what is replaced is replaced last, so that a text that cannot be printed leaves it
                        self.assertTrue(done.stdout == b"" or {"--save", "--force"} <= set(command))
                        self.assertRegex(done.stderr, rb"\Aattn-walkthrough: error: [^\n]+\n\Z")
                        self.assertEqual(done.returncode, 2)
                    if both or kinds is signals:  # each of the two; what is unfinished stays of SIGKILL alone
                        self.assertTrue(set(found) <= {*old, *new} or kind == "signal=SIGKILL")
                        for name in new:
                            self.assertIn(found.get(name), (old.get(name), new[name]))
                    else:
                        self.assertEqual(found, old)
        self.assertGreater(ended, 3 // harness.EVERY)

    def test_killed_at_any_call(self):
        earlier = [["trainable", "--save", "steps", "-o", "text"]]
        self.check(["causal", "--save", "steps", "-o", "text"], kinds=signals)
        self.check(["causal", "--save", "steps", "-o", "text", "--force"], earlier, signals)
        for name in ("steps.npz", "steps.safetensors"):
            self.check(["causal", "--save", name, "--force"], [["dropout", "--save", name]], signals)

    def test_text(self):
        self.check(["causal", "-o", "text"])
        self.check(["causal", "-o", "text", "--force"], earlier=[["causal", "--seed", "1", "-o", "text"]])

    def test_a_folder(self):
        self.check(["trainable", "--save", "new/steps", "-o", "/dev/null"])
        self.check(["causal", "--save", "steps", "--force"], earlier=[["trainable", "--save", "steps"]])

    def test_a_file_of_tensors(self):
        for name in ("steps.npz", "steps.safetensors"):
            self.check(["causal", "--save", f"new/{name}"])

    def test_both(self):
        self.check(["causal", "--save", "steps", "-o", "text", "--force"], earlier=[["dropout", "--save", "steps", "-o", "text"]])

    def test_without_flags_of_rename(self):
        """As on file systems without RENAME_EXCHANGE: killed at any call, the complete old folder is there or beside."""
        command, earlier = ["simplified", "--save", "steps", "--force"], [["trainable", "--save", "steps"]]
        new, old = self.counts(earlier, command)[1]["steps"], contents(self.prepared(earlier))["steps"]
        killed = 0
        for call in ("rename", "unlinkat", "unlink", "rmdir"):
            for when in range(1, 30):
                folder = self.prepared(earlier)
                done = traced("-o", os.devnull, "-e", "inject=renameat2:error=EINVAL", "-e", f"inject={call}:signal=SIGKILL:when={when}",
                              BINARY, *command, folder=folder)
                if done.returncode == 0:
                    break
                killed += 1
                if os.path.exists(os.path.join(folder, "steps")):
                    self.assertIn(contents(folder)["steps"], (old, new), (call, when))
                else:
                    [aside] = [name for name in os.listdir(folder) if name.endswith(".old")]
                    os.rename(os.path.join(folder, aside), os.path.join(folder, "steps"))
                    self.assertEqual(contents(folder)["steps"], old)
        self.assertGreater(killed, 2)

    def test_names_may_be_taken_late(self):
        """Another process creates the target after the check."""
        for command, call in ((["causal", "-o", "text"], "link"), (["causal", "--save", "steps"], "rename"),
                              (["causal", "--save", "s.npz"], "link")):
            folder = self.prepared([])
            done = traced("-o", os.devnull, "-e", f"inject={call}:error=EEXIST", BINARY, *command, folder=folder)
            self.assertEqual(done.returncode, 2)
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
