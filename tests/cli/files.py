"""Files are written atomically, and a reader that closes its pipe is not an error."""
import fcntl
import json
import os
import resource
import signal
import stat
import subprocess
import time

import harness
from harness import BINARY, HANG_LIMIT, sample

LONG = ["causal", "--steps", "all", "--tokens", "200", "--threshold", "9999999"]


class Case(harness.Case):
    def check_whole(self, folder):
        """The folder contains the files of its manifest, of a chapter or of several, and nothing else."""
        manifest = json.loads(self.read(folder, "manifest.json"))
        files = {step["file"] for chapter in (manifest if isinstance(manifest, list) else [manifest]) for step in chapter["steps"]}
        self.assertEqual(set(self.contents(folder)), files | {"manifest.json"})


class OutputFile(Case):
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
        """They stay, and what they lead to is written: a text or a folder."""
        text = self.succeeds("causal")
        os.mkdir(self.path("below"))
        os.symlink("below/file", self.path("link"))
        os.symlink("link", self.path("link to a link"))
        for link, option in (("link", "-o"), ("link to a link", "-o"), ("link", "--save")):
            for force in ([], ["--force"]):
                self.succeeds("causal", option, link, *force)  # first to nothing yet
                if option == "-o":
                    self.assertEqual(self.read("below", "file"), text)
                else:
                    self.check_whole("below/file")
                self.refused("causal", option, link, says=("exists",))
                self.assertTrue(os.path.islink(self.path(link)))
                self.assertEqual(os.listdir(self.path("below")), ["file"])
                if option == "-o":
                    self.write("below/file", b"mine")
            subprocess.run(["rm", "-r", "below/file"], cwd=self.folder, check=True)
        os.symlink("circle", self.path("circle"))
        self.refused("causal", "-o", "circle", "--force", says=("Too many levels",))

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

    def test_full(self):
        for arguments in ([], ["--version"], LONG, ["causal", "--save", "there/steps", "-o", "-"]):
            with open("/dev/full", "wb") as full:
                self.refused(*arguments, stdout=full, says=("output",))
        self.assertEqual(self.there(), [])


class Folder(Case):
    def test_permissions(self):
        self.succeeds("trainable", "--save", "steps", umask=0o027)
        self.assertEqual({stat.S_IMODE(os.stat(at).st_mode) for at, _, _ in os.walk(self.path("steps"))}, {0o750})
        for at, _, _ in os.walk(self.path("steps"), topdown=False):
            os.chmod(at, 0o555)
        self.succeeds("causal", "--save", "steps", "--force")
        self.assertEqual(self.there(), ["steps"])

    def test_few_descriptors(self):
        """That are few to the end, when what is unfinished is removed."""
        if harness.has_sanitizer():
            self.skipTest("a sanitizer needs descriptors of its own")
        for number in sample(range(4, 10), most=3):
            for earlier in (["all", "--save", "steps"], ["multihead", "--save", "steps"]):
                self.succeeds(*earlier)
                before = self.contents()
                done = self.done("all", "--save", "steps", "-o", "text", "--force",
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number)))
                if done.returncode == 0:
                    self.check_whole("steps")
                else:
                    self.check_error(done, "Too many open files")
                    self.assertEqual(self.contents(), before)
                self.assertLessEqual(set(self.there()), {"steps", "text"})
                subprocess.run(["rm", "-rf", "steps", "text"], cwd=self.folder, check=True)


class Together(Case):
    def test_two_savers(self):
        """Which of them is first, nobody knows: one set of tensors is there, whole, and the other saver says why not."""
        sets = []
        for seed in ("1", "2"):
            self.succeeds("causal", "--seed", seed, "--save", f"alone{seed}")
            sets.append(self.contents(f"alone{seed}"))
        for force in ([], ["--force"]) * 5:
            savers = [subprocess.Popen([BINARY, "causal", "--seed", seed, "--save", "steps", *force], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE) for seed in ("1", "2")]
            said = [saver.communicate(timeout=HANG_LIMIT) for saver in savers]
            codes = [saver.returncode for saver in savers]
            if force:
                self.assertEqual(codes, [0, 0], said)
                self.assertIn(self.contents("steps"), sets)
            else:
                self.assertEqual(sorted(codes), [0, 2], said)
                loser = codes.index(2)
                self.assertEqual(said[loser][0], b"")
                self.assertRegex(said[loser][1], rb"\A[^\n]*'steps' already exists[^\n]*\n\Z")
                self.assertEqual(self.contents("steps"), sets[1 - loser])
            self.assertEqual(self.there(), ["alone1", "alone2", "steps"])
            subprocess.run(["rm", "-rf", "steps"], cwd=self.folder, check=True)

    def test_ignored_signals_stay_ignored(self):
        """As under nohup."""
        with subprocess.Popen([BINARY, *LONG, "--save", "steps"], cwd=self.folder, stdout=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGHUP)
            process.stdout.read()
            self.assertEqual(process.wait(HANG_LIMIT), 0)
        self.check_whole("steps")


class Pipes(Case):
    def test_a_reader_that_leaves(self):
        """After a line; whether or not the program starts with SIGPIPE ignored."""
        first = self.succeeds(*LONG).split(b"\n")[0] + b"\n"
        for ignored in (False, True):
            ignore = (lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)) if ignored else None
            for arguments in (LONG, LONG + ["-o", "/dev/stdout"], LONG + ["--save", f"sv{ignored}", "-o", "-"]):
                with subprocess.Popen([BINARY, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      restore_signals=not ignored, preexec_fn=ignore) as process:
                    line = process.stdout.readline()
                    process.stdout.close()
                    said = process.stderr.read()
                    self.assertEqual((process.wait(HANG_LIMIT), line, said), (0, first, b""), arguments)
            self.check_whole(f"sv{ignored}")
        self.assertEqual(self.there(), ["svFalse", "svTrue"])

    def unread(self, stream, *arguments):
        """A run whose reader closes a stream before it starts."""
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as gone:
            return self.done(*arguments, **{stream: gone})

    def test_nobody_reads(self):
        page = self.path("page.txt")
        self.write("page.txt", self.succeeds("causal").replace(b"0.", b"9.", 1))
        for arguments, code in ((["causal"], 0), ([], 0), (["--help"], 0), (["--version"], 0), (["list"], 0),
                                (["all"], 0), (["causal", "--what-if", "no-mask"], 0),
                                (["causal", "--predict", "1"], 0),
                                (["verify", page], self.done("verify", page).returncode)):
            done = self.unread("stdout", *arguments)
            self.assertEqual((done.returncode, done.stderr), (code, b""), arguments)
        self.assertEqual(self.done("verify", page).returncode, 1)
        self.check_error(self.unread("stdout", "causal", "--seed", "x"), "--seed")
        self.assertEqual(self.unread("stderr", "causal", "--seed", "x").returncode, 2)

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
        for arguments in ("causal --format text --save steps", "causal -o steps.txt --save steps", "causal -o steps.txt",
                          "causal --format text --save s.npz", "causal --save s.safetensors -o steps.txt"):
            self.succeeds(*arguments.split())
            whole = self.contents()
            for closed in (">&-", "<&-", "<&- >&-", "<&- >&- 2>&-"):
                subprocess.run(["rm", "-rf", *self.there()], cwd=self.folder, check=True)
                done = subprocess.run(["/bin/sh", "-c", f'exec "$0" {arguments} {closed}', BINARY], cwd=self.folder,
                                      capture_output=True, timeout=HANG_LIMIT)
                fails = ">&-" in closed.split() and "-o" not in arguments
                self.assertEqual(done.returncode, 2 if fails else 0, (arguments, closed))
                self.assertEqual(self.contents(), {} if fails else whole, (arguments, closed))
            subprocess.run(["rm", "-rf", *self.there()], cwd=self.folder, check=True)


if __name__ == "__main__":
    harness.main()
