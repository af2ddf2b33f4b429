"""Signals at any moment, and two at once: what is written is one's, and whole.

    /usr/bin/python3 tests/cli/interrupted.py PATH_TO_BINARY
"""
import ctypes
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import files

KILLS = 60
RACES = 30


class Interrupted(files.Case):
    def sets(self):
        """The two sets of tensors that are saved, in a folder elsewhere."""
        sets = []
        for seed in ("1", "2"):
            with tempfile.TemporaryDirectory() as folder:
                files.run("causal", "--tokens", "150", "--seed", seed, "--save", "steps", cwd=folder)
                before, self.folder = self.folder, folder
                sets.append(self.contents("steps"))
                self.folder = before
        return sets

    def test_killed_at_any_moment(self):
        old, new = self.sets()
        arguments = [files.BINARY, "causal", "--tokens", "150", "--seed", "2", "--save", "steps", "-o", "text"]
        dice = random.Random(0)
        started = time.monotonic()
        files.run("causal", "--tokens", "150", "--save", "steps", "-o", "text", cwd=self.folder)
        whole = time.monotonic() - started
        fates = {"killed": 0, "ended": 0}
        for kill in range(KILLS):
            is_new = kill % 2 == 0
            number = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT)[kill % 5]
            subprocess.run(["rm", "-rf", "steps", "text"], cwd=self.folder, check=True)
            if not is_new:
                self.succeeds("causal", "--tokens", "150", "--seed", "1", "--save", "steps", stdout=subprocess.DEVNULL)
                self.write("text", b"mine")
            with subprocess.Popen(arguments + ["--force"], cwd=self.folder, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))) as process:
                time.sleep(dice.uniform(0, whole))
                process.send_signal(number)
                said = process.stderr.read()
                code = process.wait(files.HANG_LIMIT)
            self.assertIn((code, said), ((0, b""), (-number, b"")))
            fates["ended" if code == 0 else "killed"] += 1
            left = [name for name in self.there() if name not in ("steps", "text")]
            if number != signal.SIGKILL:
                self.assertEqual(left, [])
            self.assertTrue(all(name.endswith(".tmp") for name in left), left)
            self.assertIn(self.contents("steps"), [new] if code == 0 else [new, {} if is_new else old])
            self.assertEqual(os.path.exists(self.path("steps")), bool(self.contents("steps")))
            if os.path.exists(self.path("text")):
                self.assertIn(self.read("text")[:5], (b"keys\n", b"mine"))
            if left:  # the next one does not mind
                subprocess.run(["rm", "-rf", "steps", "text"], cwd=self.folder, check=True)
                self.succeeds("causal", "--tokens", "150", "--seed", "2", "--save", "steps", stdout=subprocess.DEVNULL)
                self.assertEqual(self.contents("steps"), new)
                subprocess.run(["rm", "-rf", *left], cwd=self.folder, check=True)
        self.assertGreater(fates["killed"], KILLS // 4, fates)
        print(f"{KILLS} kills: {fates}", file=sys.stderr)

    def test_another_thread_gets_the_signal(self):
        """OpenBLAS's threads do not know when signals are to wait."""
        arguments = [files.BINARY, "causal", "--tokens", "150", "--blas", "native", "--save", "steps"]
        dice = random.Random(0)
        library = ctypes.CDLL(None)
        reached = 0
        for _ in range(KILLS):
            subprocess.run(["rm", "-rf", "steps"], cwd=self.folder, check=True)
            with subprocess.Popen(arguments, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env={**os.environ, "OPENBLAS_NUM_THREADS": "4"}) as process:
                while not self.there() and process.poll() is None:
                    time.sleep(0.0002)
                time.sleep(dice.uniform(0, 0.02))
                others = [thread for thread in self.threads(process.pid) if thread != process.pid]
                if others and process.poll() is None:
                    reached += library.tgkill(process.pid, others[-1], signal.SIGTERM) == 0
                said = process.stderr.read()
                code = process.wait(files.HANG_LIMIT)
            self.assertIn((code, said), ((0, b""), (-signal.SIGTERM, b"")))
            self.assertIn(self.there(), (["steps"], []))
        self.assertGreater(reached, KILLS // 4)

    def threads(self, process):
        try:
            return sorted(map(int, os.listdir(f"/proc/{process}/task")))
        except FileNotFoundError:
            return []

    def test_ignored_signals_stay_ignored(self):
        """As under nohup."""
        with subprocess.Popen([files.BINARY, *files.LONG, "--save", "steps"], cwd=self.folder, stdout=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGHUP)
            process.stdout.read()
            self.assertEqual(process.wait(files.HANG_LIMIT), 0)
        self.check_whole("steps")

    def test_two_savers(self):
        sets = self.sets()
        for force in ([], ["--force"]):
            lost = 0
            for _ in range(RACES):
                arguments = [files.BINARY, "causal", "--tokens", "150", "--save", "steps", *force]
                savers = [subprocess.Popen([*arguments, "--seed", seed], cwd=self.folder, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE) for seed in ("1", "2")]
                said = [saver.communicate(timeout=files.HANG_LIMIT) for saver in savers]
                codes = [saver.returncode for saver in savers]
                if force:
                    self.assertEqual(codes, [0, 0], said)
                    self.assertIn(self.contents("steps"), sets)
                else:
                    self.assertEqual(sorted(codes), [0, 2], said)
                    loser = codes.index(2)
                    self.assertEqual(said[loser][0], b"")
                    self.assertRegex(said[loser][1], rb"\A[^\n]*'steps' exists[^\n]*\n\Z")
                    self.assertEqual(self.contents("steps"), sets[1 - loser])
                    lost += 1
                    subprocess.run(["rm", "-rf", "steps"], cwd=self.folder, check=True)
                self.assertLessEqual(set(self.there()), {"steps"})
            print(f"{RACES} races {force}: {lost} lost", file=sys.stderr)

    def test_two_writers_of_a_file(self):
        for _ in range(RACES):
            writers = [subprocess.Popen([files.BINARY, "causal", "--seed", seed, "-o", "text"], cwd=self.folder,
                                        stderr=subprocess.PIPE) for seed in ("1", "2")]
            said = [writer.communicate(timeout=files.HANG_LIMIT)[1] for writer in writers]
            codes = [writer.returncode for writer in writers]
            self.assertEqual(sorted(codes), [0, 2], said)
            self.assertIn(b"'text' exists", said[codes.index(2)])
            self.assertEqual(self.there(), ["text"])
            os.remove(self.path("text"))


if __name__ == "__main__":
    files.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
