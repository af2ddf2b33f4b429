"""Signals at any moment, and two writers at once: the files are complete and from one run.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/interrupted.py PATH_TO_BINARY [--kills N] [--races N]
"""
import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

import files
import harness
from harness import BINARY, HANG_LIMIT, run

KILLS = 60
RACES = 30
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT)

# What looks for leaks at the end of a run with sanitizers would tell of being killed at that.
os.environ["ASAN_OPTIONS"] = f"{os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"


class Delays:
    """Chooses when to kill a run: at any moment of it, on a machine of any load."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.longest = 0.1

    def next(self):
        return self.dice.uniform(0, self.longest)

    def learn(self, ended):
        """Adapts the delays, so that three of four runs are killed before they end."""
        self.longest *= 0.7 if ended else 1.13


class Interrupted(files.Case):
    def sets(self):
        """The two expected sets of tensors, saved in another folder."""
        sets = []
        for seed in ("1", "2"):
            with tempfile.TemporaryDirectory() as folder:
                run("causal", "--tokens", "150", "--seed", seed, "--save", "steps", cwd=folder)
                before, self.folder = self.folder, folder
                sets.append(self.contents("steps"))
                self.folder = before
        return sets

    def unfinished(self):
        return [name for name in self.there() if name.endswith(".tmp")]

    def wait_for_the_first_file(self, process):
        while not self.unfinished() and process.poll() is None:
            time.sleep(0.0002)

    def killed(self, arguments, number, delay, in_mid_save):
        """Sends a signal to a run after a delay. Returns exit code, stderr, and whether it was writing."""
        with subprocess.Popen(arguments, cwd=self.folder, stderr=subprocess.PIPE,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))) as process:
            if in_mid_save:
                self.wait_for_the_first_file(process)
            time.sleep(delay)
            writing = bool(self.unfinished())
            process.send_signal(number)
            said = process.stderr.read()
            return process.wait(HANG_LIMIT), said, writing

    def clear(self, *names):
        subprocess.run(["rm", "-rf", *names], cwd=self.folder, check=True)

    def test_killed_at_any_moment(self):
        old, new = self.sets()
        save = ["causal", "--tokens", "150", "--save", "steps", "--seed"]
        arguments = [BINARY, *save, "2", "-o", "text", "--force"]
        subprocess.run(arguments, cwd=self.folder, check=True)
        new_text = self.read("text")
        delays = {in_mid_save: Delays(0) for in_mid_save in (False, True)}
        fates = {"killed": 0, "ended": 0, "while it wrote": 0}
        for kill in range(KILLS):
            is_new = kill % 2 == 0
            number = SIGNALS[kill % len(SIGNALS)]
            self.clear("steps", "text")
            if not is_new:
                self.succeeds(*save, "1", stdout=subprocess.DEVNULL)
                self.write("text", b"mine")
            in_mid_save = kill % 4 > 1
            delay = delays[in_mid_save]
            code, said, writing = self.killed(arguments, number, delay.next(), in_mid_save)
            delay.learn(ended=code == 0)
            self.assertIn((code, said), ((0, b""), (-number, b"")))
            fates["ended" if code == 0 else "killed"] += 1
            fates["while it wrote"] += code != 0 and writing
            left = self.unfinished()
            self.assertLessEqual(set(self.there()), {"steps", "text", *left})
            if number != signal.SIGKILL:
                self.assertEqual(left, [])
            self.assertIn(self.contents("steps"), [new] if code == 0 else [new, {} if is_new else old])
            self.assertEqual(os.path.exists(self.path("steps")), bool(self.contents("steps")))
            text = self.read("text") if os.path.exists(self.path("text")) else None
            self.assertIn(text, [new_text] if code == 0 else [new_text, None if is_new else b"mine"])
            if left:  # the next one does not mind
                self.clear("steps", "text")
                self.succeeds(*save, "2", stdout=subprocess.DEVNULL)
                self.assertEqual(self.contents("steps"), new)
                self.clear(*left)
        self.assertGreater(fates["while it wrote"], KILLS // 8, fates)
        print(f"{KILLS} kills: {fates}", file=sys.stderr)

    def test_a_file_of_tensors_killed_at_any_moment(self):
        for name in ("steps.npz", "steps.safetensors"):
            save = ["causal", "--tokens", "500", "--save", name, "--force", "--seed"]
            self.succeeds(*save, "2", stdout=subprocess.DEVNULL)
            new = self.read(name)
            self.succeeds(*save, "1", stdout=subprocess.DEVNULL)
            old = self.read(name)
            killed = 0
            delays = {in_mid_save: Delays(1) for in_mid_save in (False, True)}
            for kill in range(KILLS // 2):
                number = SIGNALS[kill % len(SIGNALS)]
                in_mid_save = kill % 2 == 1
                self.write(name, old)
                delay = delays[in_mid_save]
                arguments = [BINARY, *save, "2", "-o", "/dev/null"]
                code, said, _ = self.killed(arguments, number, delay.next(), in_mid_save)
                delay.learn(ended=code == 0)
                self.assertIn((code, said), ((0, b""), (-number, b"")))
                killed += code != 0
                self.assertIn(self.read(name), [new] if code == 0 else [new, old])
                left = self.unfinished()
                self.assertEqual(set(self.there()), {name, *left})
                self.assertTrue(number == signal.SIGKILL or not left, left)
                self.clear(*left)
            self.assertGreater(killed, KILLS // 8)
            self.clear(name)

    def test_ignored_signals_stay_ignored(self):
        """Ignored signals stay ignored, as under nohup."""
        with subprocess.Popen([BINARY, *files.LONG, "--save", "steps"], cwd=self.folder, stdout=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGHUP)
            process.stdout.read()
            self.assertEqual(process.wait(HANG_LIMIT), 0)
        self.check_whole("steps")

    def test_two_savers(self):
        sets = self.sets()
        for force in ([], ["--force"]):
            lost = 0
            for _ in range(RACES):
                arguments = [BINARY, "causal", "--tokens", "150", "--save", "steps", *force]
                savers = [subprocess.Popen([*arguments, "--seed", seed], cwd=self.folder, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE) for seed in ("1", "2")]
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
                    lost += 1
                    self.clear("steps")
                self.assertLessEqual(set(self.there()), {"steps"})
            print(f"{RACES} races {force}: {lost} lost", file=sys.stderr)

    def test_two_writers_of_a_file(self):
        for _ in range(RACES):
            writers = [subprocess.Popen([BINARY, "causal", "--seed", seed, "-o", "text"], cwd=self.folder,
                                        stderr=subprocess.PIPE) for seed in ("1", "2")]
            said = [writer.communicate(timeout=HANG_LIMIT)[1] for writer in writers]
            codes = [writer.returncode for writer in writers]
            self.assertEqual(sorted(codes), [0, 2], said)
            self.assertIn(b"'text' exists", said[codes.index(2)])
            self.assertEqual(self.there(), ["text"])
            os.remove(self.path("text"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--races", type=int, default=RACES)
    asked, rest = parser.parse_known_args()
    KILLS, RACES = asked.kills, asked.races
    harness.main(rest)
