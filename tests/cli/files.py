"""Files are written atomically, and a reader that closes its pipe is not an error.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/files.py PATH_TO_BINARY
"""
import fcntl
import json
import os
import resource
import signal
import stat
import subprocess
import tempfile
import time
import unittest

import harness
from harness import BINARY, HANG_LIMIT, run

SAVED = {"steps", "steps.txt", "s.npz", "s.safetensors"}
STARTS = {".json": b"{", ".txt": b"keys\n", ".npy": b"\x93NUMPY", ".npz": b"PK\x03\x04", ".safetensors": b"\0\0\0{"}
LONG = ["causal", "--steps", "all", "--tokens", "200", "--threshold", "9999999"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def done(self, *arguments, **options):
        return run(*arguments, cwd=self.folder, **options)

    def succeeds(self, *arguments, **options):
        done = self.done(*arguments, **options)
        told = [line for line in (done.stderr or b"").splitlines() if not line.startswith(b"attn-walkthrough: note: --weights: not ")]
        self.assertEqual((done.returncode, told), (0, []), arguments)
        return done.stdout

    def refused(self, *arguments, says=(), **options):
        done = self.done(*arguments, **options)
        self.check_error(done, *says)
        self.assertIn(done.stdout, (b"", None))

    def check_error(self, done, *parts):
        self.assertEqual(done.returncode, 2, done)
        line = done.stderr.decode()
        self.assertRegex(line, r"\Aattn-walkthrough: error: [^\n]+; [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, line)

    def read(self, *names):
        with open(self.path(*names), "rb") as file:
            return file.read()

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def contents(self, *names):
        return {os.path.relpath(os.path.join(at, name), self.path(*names)): self.read(os.path.join(at, name))
                for at, _, files in os.walk(self.path(*names)) for name in files}

    def check_whole(self, folder):
        """The folder contains the files of its manifest, and nothing else."""
        files = {step["file"] for step in json.loads(self.read(folder, "manifest.json"))["steps"]}
        self.assertEqual(set(self.contents(folder)), files | {"manifest.json"})

    def there(self):
        return sorted(os.listdir(self.folder))


class OutputFile(Case):
    def test_a_new_file(self):
        text = self.succeeds("causal")
        self.assertEqual(self.succeeds("causal", "-o", "steps.txt"), b"")
        self.assertEqual(self.read("steps.txt"), text)
        self.assertEqual(self.there(), ["steps.txt"])

    def test_a_file_that_exists(self):
        self.write("steps.txt", b"mine")
        for target in ("steps.txt", "./steps.txt", self.path("steps.txt")):
            self.refused("causal", "-o", target, says=("--output", f"'{target}' exists", "--force"))
            self.assertEqual(self.read("steps.txt"), b"mine")
        self.assertEqual(self.succeeds("causal", "-o", "steps.txt", "--force"), b"")
        self.assertEqual(self.read("steps.txt"), self.succeeds("causal"))
        self.assertEqual(self.there(), ["steps.txt"])

    def test_it_is_refused_before_anything_is_computed(self):
        self.write("steps.txt", b"mine")
        started = time.monotonic()
        self.refused("causal", "--tokens", "6000", "-o", "steps.txt")
        self.refused("causal", "--tokens", "6000", "--save", self.folder)
        self.write("steps.npz", b"mine")
        self.refused("causal", "--tokens", "6000", "--save", "steps.npz")
        self.assertLess(time.monotonic() - started, 1)

    def test_permissions_stay(self):
        for mode in (0o600, 0o444, 0o755):
            self.write("steps.txt", b"mine")
            os.chmod(self.path("steps.txt"), mode)
            self.refused("causal", "-o", "steps.txt")
            self.succeeds("causal", "-o", "steps.txt", "--force")
            self.assertEqual(stat.S_IMODE(os.stat(self.path("steps.txt")).st_mode), mode)
            os.remove(self.path("steps.txt"))
        self.succeeds("causal", "-o", "steps.txt", umask=0o027)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("steps.txt")).st_mode), 0o640)

    def test_no_file_lets_others_act_as_who_wrote_it(self):
        """If the owner cannot be kept, the new file's mode allows no more than the old one's."""
        if os.getuid() != 0:
            self.skipTest("only root can write as somebody else")
        os.chmod(self.folder, 0o777)
        for mode in (0o4755, 0o2755, 0o1755, 0o6711):
            for name, target in (("f", ["-o", "f"]), ("s.npz", ["--save", "s.npz", "-o", "/dev/null"])):
                self.write(name, b"mine")
                os.chmod(self.path(name), mode)
                self.succeeds("causal", *target, "--force", user=65534)
                there = os.stat(self.path(name))
                self.assertEqual((stat.S_IMODE(there.st_mode), there.st_uid), (mode & 0o777, 65534))
                self.write(name, b"mine")
                os.chown(self.path(name), 65534, 65534)
                os.chmod(self.path(name), mode)
                self.succeeds("causal", *target, "--force")  # whose owner is kept
                there = os.stat(self.path(name))
                self.assertEqual((stat.S_IMODE(there.st_mode), there.st_uid), (mode, 65534))
                os.remove(self.path(name))

    def test_no_room(self):
        """The existing file stays unchanged."""
        self.write("steps.txt", b"mine")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for target in (["-o", "steps.txt", "--force"], ["-o", "new.txt"], ["--save", "steps"], ["--save", "s.npz"],
                       ["--save", "s.safetensors"]):
            self.refused("causal", *target, preexec_fn=limit, says=("File too large",))
            self.assertEqual(self.there(), ["steps.txt"])
            self.assertEqual(self.read("steps.txt"), b"mine")

    def test_links(self):
        text = self.succeeds("causal")
        os.mkdir(self.path("below"))
        os.symlink("below/file", self.path("link"))
        os.symlink("link", self.path("link to a link"))
        for link in ("link", "link to a link"):
            self.succeeds("causal", "-o", link)  # to nothing yet
            self.assertEqual(self.read("below", "file"), text)
            self.write("below/file", b"mine")
            self.refused("causal", "-o", link, says=("exists",))
            self.assertEqual(self.read("below", "file"), b"mine")
            self.succeeds("causal", "-o", link, "--force")
            self.assertEqual(self.read("below", "file"), text)
            self.assertTrue(os.path.islink(self.path(link)))
            os.remove(self.path("below", "file"))
        self.assertEqual(os.listdir(self.path("below")), [])
        os.symlink("circle", self.path("circle"))
        self.refused("causal", "-o", "circle", "--force", says=("Too many levels",))

    def test_folders(self):
        os.mkdir(self.path("below"))
        for target in ("below", "below/", ".", "/", "new/"):
            self.refused("causal", "-o", target, "--force", says=("Is a directory",))
        self.refused("causal", "-o", "no/such/folder.txt", says=("No such file",))
        self.refused("causal", "-o", "", says=("--output",))

    def test_standard_output(self):
        text = self.succeeds("causal")
        self.assertEqual(self.succeeds("causal", "-o", "-"), text)
        self.assertEqual(self.succeeds("causal", "--output=-"), text)
        self.assertEqual(self.succeeds("causal", "-o", "x", "-o", "-"), text)
        self.assertEqual(self.there(), [])

    def test_devices_and_pipes(self):
        text = self.succeeds("causal")
        self.assertEqual(self.succeeds("causal", "-o", "/dev/null"), b"")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.assertEqual(self.succeeds("causal", "-o", name), text)
        self.refused("causal", "-o", "/dev/full", says=("No space left",))
        os.mkfifo(self.path("pipe"))
        with subprocess.Popen(["cat", self.path("pipe")], stdout=subprocess.PIPE) as reader:
            self.succeeds("causal", "-o", "pipe", "--save", "steps")
            self.assertEqual(reader.stdout.read(), text)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        self.check_whole("steps")

    def test_standard_output_is_a_file(self):
        """The existing content stays, and the output is appended."""
        for name in ("-", "/dev/stdout", "/dev/fd/1"):
            with open(self.path("log"), "wb") as log:
                log.write(b"before\n")
            with open(self.path("log"), "ab") as log:
                self.done("causal", "-o", name, stdout=log)
            self.assertEqual(self.read("log"), b"before\n" + self.succeeds("causal"))

    def test_inside_the_saved_folder(self):
        for file, folder in (("steps/text", "steps"), ("steps", "steps"), ("./steps/a/b", "steps/"),
                             ("steps", "steps/below"), (self.path("steps/text"), "new/../steps")):
            self.refused("causal", "-o", file, "--save", folder, says=("--output", "--save"))
            self.assertEqual(self.there(), [])
        self.succeeds("causal", "-o", "steps.txt", "--save", "steps")
        self.assertEqual(self.there(), ["steps", "steps.txt"])
        os.symlink("steps", self.path("link"))
        self.refused("causal", "-o", "link/text", "--save", "steps", "--force", says=("--output",))

    def test_both_or_neither(self):
        self.write("steps.txt", b"mine")
        self.refused("causal", "-o", "steps.txt", "--save", "steps")
        self.refused("causal", "-o", "no/such/folder.txt", "--save", "steps")
        self.assertEqual(self.there(), ["steps.txt"])


class Folder(Case):
    def test_links(self):
        os.mkdir(self.path("below"))
        os.symlink("below/steps", self.path("link"))
        self.succeeds("causal", "--save", "link")
        self.check_whole("below/steps")
        self.refused("causal", "--save", "link", says=("exists",))
        self.succeeds("dropout", "--save", "link", "--force")
        self.assertEqual(json.loads(self.read("below/steps/manifest.json"))["chapter"], "dropout")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(os.listdir(self.path("below")), ["steps"])

    def test_permissions(self):
        self.succeeds("trainable", "--save", "steps", umask=0o027)
        self.assertEqual({stat.S_IMODE(os.stat(at).st_mode) for at, _, _ in os.walk(self.path("steps"))}, {0o750})
        for at, _, _ in os.walk(self.path("steps"), topdown=False):
            os.chmod(at, 0o555)
        self.succeeds("causal", "--save", "steps", "--force")
        self.assertEqual(self.there(), ["steps"])

    def test_few_descriptors(self):
        with open(BINARY, "rb") as file:
            if b"__asan_init" in file.read():
                self.skipTest("a sanitizer needs descriptors of its own")
        for number in range(4, 10):
            for command in (["causal", "--save", "steps"], ["all", "--save", "steps", "-o", "text"]):
                for earlier in ([], ["multihead", "--save", "steps"]):
                    if earlier:
                        self.succeeds(*earlier)
                    before = self.contents()
                    done = self.done(*command, *(["--force"] if earlier else []),
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number)))
                    if done.returncode == 0:
                        self.check_all_whole("steps")
                    else:
                        self.check_error(done, "Too many open files")
                        self.assertEqual(self.contents(), before)
                    self.assertLessEqual(set(self.there()), {"steps", "text"})
                    subprocess.run(["rm", "-rf", "steps", "text"], cwd=self.folder, check=True)

    def check_all_whole(self, folder):
        """The same for several chapters."""
        manifest = json.loads(self.read(folder, "manifest.json"))
        files = {step["file"] for chapter in (manifest if isinstance(manifest, list) else [manifest]) for step in chapter["steps"]}
        self.assertEqual(set(self.contents(folder)), files | {"manifest.json"})

    def test_made_parents_go_with_a_failure(self):
        os.mkdir(self.path("there"))
        with open("/dev/full", "wb") as full:
            self.refused("causal", "--save", "there/a/b/c", stdout=full)
        self.refused("causal", "--save", "there/a/" + "x" * 256)
        self.assertEqual(os.listdir(self.path("there")), [])

    def test_full_output_puts_the_old_one_back(self):
        self.succeeds("causal", "--save", "steps")
        before = self.contents()
        with open("/dev/full", "wb") as full:
            self.refused("dropout", "--save", "steps", "--force", stdout=full)
        self.assertEqual(self.contents(), before)


class Pipes(Case):
    def head(self, *arguments, ignored=False):
        """Exit code, standard output and standard error of a run whose reader closes after a line."""
        ignore = (lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)) if ignored else None
        with subprocess.Popen([BINARY, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              restore_signals=not ignored, preexec_fn=ignore) as process:
            line = process.stdout.readline()
            process.stdout.close()
            error = process.stderr.read()
            return process.wait(HANG_LIMIT), line, error

    def test_a_reader_that_leaves(self):
        first = self.succeeds(*LONG).split(b"\n")[0] + b"\n"
        for ignored in (False, True):
            for arguments in (LONG, LONG + ["-o", "/dev/stdout"], LONG + ["--save", f"sv{ignored}"]):
                self.assertEqual(self.head(*arguments, ignored=ignored), (0, first, b""), arguments)
            self.check_whole(f"sv{ignored}")
        self.assertEqual(self.there(), ["svFalse", "svTrue"])

    def test_it_ends_soon(self):
        """A run ends soon after its reader closes."""
        started = time.monotonic()
        self.head("causal", "--steps", "all", "--tokens", "1500", "--threshold", "999999999")
        self.assertLess(time.monotonic() - started, 5)

    def closed(self, *arguments, **options):
        """A run whose reader closes before it starts."""
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as gone:
            return self.done(*arguments, stdout=gone, **options)

    def test_nobody_reads(self):
        page = self.path("page.txt")
        self.write("page.txt", self.succeeds("causal").replace(b"0.", b"9.", 1))
        for arguments, code in ((["causal"], 0), ([], 0), (["--help"], 0), (["--version"], 0), (["list"], 0),
                                (["all"], 0), (["causal", "--what-if", "no-mask"], 0),
                                (["causal", "--predict", "1"], 0),
                                (["verify", page], self.done("verify", page).returncode)):
            done = self.closed(*arguments)
            self.assertEqual((done.returncode, done.stderr), (code, b""), arguments)
        self.assertEqual(self.done("verify", page).returncode, 1)
        self.check_error(self.closed("causal", "--seed", "x"), "--seed")

    def test_errors_that_nobody_reads(self):
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as gone:
            self.assertEqual(self.done("causal", "--seed", "x", stderr=gone).returncode, 2)

    def test_a_named_pipe_whose_reader_leaves(self):
        os.mkfifo(self.path("pipe"))
        with subprocess.Popen(["head", "-n", "1", self.path("pipe")], stdout=subprocess.DEVNULL):
            self.assertEqual(self.succeeds(*LONG, "-o", "pipe", "--save", "steps"), b"")
        self.check_whole("steps")

    def test_a_pipe_that_does_not_block(self):
        text = self.succeeds(*LONG)
        read, write = os.pipe()
        fcntl.fcntl(write, fcntl.F_SETFL, os.O_NONBLOCK)
        with subprocess.Popen([BINARY, *LONG], stdout=write, stderr=subprocess.PIPE) as process:
            os.close(write)
            time.sleep(0.3)
            with os.fdopen(read, "rb") as pipe:
                self.assertEqual(pipe.read(), text)
            self.assertEqual((process.wait(HANG_LIMIT), process.stderr.read()), (0, b""))

    def test_closed_descriptors(self):
        """No file gets the descriptor of standard output."""
        for arguments in ("causal --save steps", "causal -o steps.txt --save steps", "causal -o steps.txt",
                          "causal --save s.npz", "causal --save s.safetensors -o steps.txt"):
            for closed in (">&-", "<&-", "<&- >&-", "<&- >&- 2>&-"):
                done = subprocess.run(["/bin/sh", "-c", f'exec "$0" {arguments} {closed}', BINARY], cwd=self.folder,
                                      capture_output=True, timeout=HANG_LIMIT)
                fails = ">&-" in closed.split() and "-o" not in arguments
                self.assertEqual(done.returncode, 2 if fails else 0, (arguments, closed))
                found = self.contents()
                self.assertEqual(self.there(), [] if fails else sorted(set(arguments.split()) & SAVED))
                for name in found:
                    start = STARTS[os.path.splitext(name)[1]]
                    self.assertTrue(start in found[name][:9], name)
                subprocess.run(["rm", "-rf", *SAVED], cwd=self.folder, check=True)


if __name__ == "__main__":
    harness.main()
