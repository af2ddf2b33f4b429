"""Shared parts of the program's tests: runs, terminals, and samples of long tables.

A test is a script that gets the program's path first: PYTHONPATH=tests /usr/bin/python3 tests/cli/NAME.py PATH_TO_BINARY [unittest's arguments]
"""
import contextlib
import datetime
import fcntl
import functools
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
HANG_LIMIT = int(os.environ.get("ATTN_TEST_HANG_LIMIT", "60"))  # seconds; sanitizers make programs many times slower
# Of long tables each so many-th row is tried; from one day to the next they move.
EVERY = int(os.environ.get("ATTN_TEST_EVERY", "1"))
DAY = int(os.environ.get("ATTN_TEST_DAY", datetime.date.today().toordinal()))


def run(*arguments, page=None, **options):
    """Runs the program: exit code, output and errors as bytes. `page` is its input, empty by default."""
    source = {"stdin": subprocess.DEVNULL} if page is None else {"input": page}
    given = {**source, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": HANG_LIMIT, **options}
    return subprocess.run([BINARY, *arguments], **given)


def output_of(*arguments, **options):
    """The output of a run, which must succeed without errors."""
    done = run(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, b""), (arguments, done.returncode, done.stderr)
    return done.stdout


def text_of(*arguments, **options):
    return output_of(*arguments, **options).decode()


def chapters():
    """What `list` says of each chapter of each article, and the command that it is."""
    listed = json.loads(output_of("list", "--format", "json"))["chapters"]
    return [{**row, "command": [row["chapter"], "--article", row["article"]]} for row in listed]


def numbers_of(text):
    """The numbers of the first printed tensor, in order."""
    rest = text.partition("tensor(")[2] or text
    end = next((at for at, c in enumerate(rest) if c == ")" and rest.count("(", 0, at) == rest.count(")", 0, at)), None)
    inner = re.sub(r",\s+(dtype|grad_fn|size|requires_grad)=.*", "", rest[:end], flags=re.S)
    return re.findall(r"-?inf|nan|True|False|-?\d[\d.e+-]*", inner)


def help_of(*command):
    """The help, with the values of each option on one line."""
    return re.sub(r"\|\n +", "|", text_of(*command, "--help"))


def options_of(*command):
    """The options that the help of a command lists, of none the program's, and their placeholders, empty for a flag."""
    return re.findall(r"^  (?:-\w,)?(--[\w-]+)(?: (\S+))?", help_of(*command), re.M)


IS_SLOW = EVERY > 40  # sanitizers or an emulator run the tests
LESSONS = 20 if IS_SLOW else 200  # of random ones


def sparse(rows, most):
    """All rows; where the tests are slow every `most`-th, others each day."""
    return sample(rows, most=most) if IS_SLOW else rows


class _Sampled(unittest.TestLoader):
    """Where the tests are slow: of each class every third test."""

    def getTestCaseNames(self, case):
        return sparse(super().getTestCaseNames(case), 3)


def main(arguments=None, **options):
    """Runs the script's tests, by default with what follows the program's path."""
    unittest.main(argv=[sys.argv[0], *(sys.argv[2:] if arguments is None else arguments)], verbosity=1, testLoader=_Sampled(), **options)


@functools.cache
def day():
    """The number of the day, with which samples move; what repeats them is said once."""
    print(f"sampled by the day: ATTN_TEST_DAY={DAY} ATTN_TEST_EVERY={EVERY} for the same", file=sys.stderr)
    return DAY


def sample(rows, shift=0, most=EVERY, within=1):
    """Every EVERY-th row, or more: every `most`-th. Different ones each day, at least one; all if EVERY is 1. `within` is the
    `most` of a sample whose rows these belong to: they move on each time that those are looked at."""
    rows = list(rows)
    step = min(EVERY, most, len(rows))
    return rows[(day() // min(EVERY, within) + shift) % step::step] if step > 1 else rows


def rows_of(test):
    """The rows of the table beside a test, and the parts of each, which two spaces separate."""
    for row in re.findall(r"(?m)^[^\s#].*(?:\n  .*)*", pathlib.Path(test).with_suffix(".txt").read_text("utf-8")):
        yield re.split("(?:\n)? {2,}", re.sub(r"\|\n +", "|", row))


class Case(unittest.TestCase):
    """Runs of the program in a folder of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def done(self, *arguments, **options):
        return run(*arguments, cwd=self.folder, **options)

    def told(self, done):
        """What a run says, except of weights that are not used or stay drawn."""
        lines = (done.stderr or b"").splitlines(True)
        return b"".join(line for line in lines if not line.startswith(b"attn-walkthrough: note: --weights: not ")).decode()

    def succeeds(self, *arguments, notes=0, **options):
        done = self.done(*arguments, **options)
        self.assertEqual((done.returncode, self.told(done).count("\n")), (0, notes), (arguments, done.stderr))
        return done.stdout

    def refused(self, *arguments, says=(), **options):
        done = self.done(*arguments, **options)
        self.check_error(done, *says)
        self.assertIn(done.stdout, (b"", None))

    def check_error(self, done, *parts):
        """A line that says what is wrong, and what to do."""
        line = self.told(done)
        self.assertEqual(done.returncode, 2, line)
        self.assertRegex(line, r"\Aattn-walkthrough: error: [^\n]+; [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, line)

    def read(self, *names):
        with open(self.path(*names), "rb") as file:
            return file.read()

    def write(self, name, content):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(name))
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def contents(self, *names):
        """Of each file below a folder."""
        return {os.path.relpath(os.path.join(at, name), self.path(*names)): self.read(os.path.join(at, name))
                for at, _, files in os.walk(self.path(*names)) for name in files}

    def there(self):
        return sorted(os.listdir(self.folder))


def has_sanitizer():
    """That takes time, memory and descriptors of its own."""
    with open(BINARY, "rb") as file:
        return b"__asan_init" in file.read()


class Terminal:
    """A program on a pseudo-terminal of its own, which it controls. `shown` is what it has written there."""

    def __init__(self, command, environment=None, rows=24, columns=80, **options):
        self.typed = self.slept = 0  # when keys were typed last, and how often the program had slept then
        self.ours, self.its = pty.openpty()
        self.set_size(rows, columns)
        self.before = termios.tcgetattr(self.its)
        self.shown = bytearray()
        streams = {"stdin": self.its, "stdout": self.its, "stderr": self.its, **options}
        self.process = subprocess.Popen(command, env=environment, start_new_session=True, preexec_fn=self._control, **streams)
        self.pid = self.process.pid

    def _control(self):
        fcntl.ioctl(self.its, termios.TIOCSCTTY, 0)
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # which who starts the tests may ignore
            signal.signal(number, signal.SIG_DFL)

    def set_size(self, rows, columns):
        fcntl.ioctl(self.its, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def pump(self, seconds):
        """True if the program writes something within that time."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        try:
            self.take(os.read(self.ours, 65536))
        except OSError:  # nobody has the other end any more
            return False
        return True

    def take(self, data):
        self.shown += data

    def sleeps(self):
        """How often the program's threads have gone to sleep."""
        count = 0
        with contextlib.suppress(OSError):  # a thread, or all, ended meanwhile
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                with open(f"/proc/{self.pid}/task/{thread}/status", encoding="utf-8") as file:
                    count += int(re.search(r"(?m)^voluntary_ctxt_switches:\s+(\d+)", file.read())[1])
        return count

    def waits(self):
        """True if the program has read all typed keys and all its threads sleep, or if it has ended."""
        if time.monotonic() < self.typed + 5 and self.sleeps() == self.slept:
            return False  # on a busy machine, keys are on their way for a while
        try:
            if struct.unpack("i", fcntl.ioctl(self.its, termios.FIONREAD, bytes(4)))[0]:
                return False
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                with open(f"/proc/{self.pid}/task/{thread}/stat", encoding="utf-8") as file:
                    if file.read().rpartition(")")[2].split()[0] not in "SZX":
                        return False
        except OSError:  # a thread, or all, ended meanwhile
            pass
        return True

    def settle(self, quiet=None):
        """Reads until the program writes nothing for `quiet` seconds; without that, until it waits for input."""
        end = time.monotonic() + HANG_LIMIT
        while self.pump(quiet or 0.02) or (quiet is None and not self.waits()):
            if time.monotonic() > end:
                break

    def wait_until(self, is_there):
        end = time.monotonic() + HANG_LIMIT
        while not is_there():
            self.pump(0.02)
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                raise TimeoutError(self.shown[-2000:])

    def type(self, keys):
        self.slept, self.typed = self.sleeps(), time.monotonic()
        os.write(self.ours, keys)

    def signal(self, number):
        os.kill(self.pid, number)

    def is_alive(self):
        return self.process.poll() is None

    def end(self):
        """Waits until the program ends. Returns its exit code, negative for a signal."""
        self.wait_until(lambda: not self.is_alive())
        self.after = termios.tcgetattr(self.its)
        os.close(self.its)
        self.its = -1
        while self.pump(0.05):
            pass
        self.close()
        return self.process.returncode

    def close(self):
        if self.is_alive():
            self.process.kill()
            self.process.wait()
        for descriptor in (self.ours, self.its):
            if descriptor >= 0:
                os.close(descriptor)
        self.ours = self.its = -1

    def text(self):
        return self.shown.decode().replace("\r\n", "\n")
