"""Random lessons of every chapter, and their sentences: each sentence matches one pattern, whose check
recomputes what it says."""

import json
import re
import subprocess

NUMBER = r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"


class Program:
    """The program under test, and the options of its chapters."""

    def __init__(self, path):
        self.path = path
        self.chapters = json.loads(self.call("list", "--format", "json").stdout)["chapters"]
        for chapter in self.chapters:
            chapter["asked"] = [chapter["chapter"], "--article", chapter["article"]]
            help_text = self.call(*chapter["asked"], "--help").stdout
            chapter["accepts"] = set(re.findall(r"--[a-z-]+", help_text))

    def call(self, *arguments, **options):
        return subprocess.run([self.path, *arguments], capture_output=True, encoding="utf-8", timeout=60, **options)

    def lessons(self, chance, count, *, some_options, form):
        """Yields `count` lessons, the chapters by turns: chapter, arguments, and the program's output in that format."""
        told = 0
        for attempt in range(20 * count):
            chapter = self.chapters[attempt % len(self.chapters)]
            arguments = [*chapter["asked"], *some_options(chance, chapter)]
            done = self.call(*arguments, *form)
            if done.returncode == 2:  # sizes that do not fit each other
                continue
            yield chapter, arguments, done.stdout
            told += 1
            if told == count:
                return


def some_options(chance, chapter):
    """Random options of one lesson."""
    options = ["--seed", str(chance.randrange(10_000))]
    sizes = {"--tokens": (1, 9), "--d-in": (1, 6), "--batch": (1, 3), "--d-out": (1, 6), "--query": (0, 3)}
    if "--attend-to" in chapter["accepts"] and chance.random() < 0.2:
        options = ["--attend-to", chance.choice(["previous", "same", "earlier", "first"])]
        sizes = {name: size for name, size in sizes.items() if name not in ("--d-in", "--d-out")}
    if chance.random() < 0.2:
        words = ["the", "cats", "like", "dogs", "and", "mice"]
        options += ["--sentence", " ".join(chance.choice(words) for _ in range(chance.randint(1, 8)))]
        sizes.pop("--tokens"), sizes.pop("--d-in", None)
    elif chance.random() < 0.4:
        sizes.pop("--tokens"), sizes.pop("--d-in", None)
    for name, (low, high) in sizes.items():
        if name in chapter["accepts"] and chance.random() < 0.4:
            options += [name, str(chance.randint(low, high))]
    if "--num-heads" in chapter["accepts"] and "--d-out" in options and chance.random() < 0.7:
        options += ["--num-heads", chance.choice(["1", "2", "3"])]
    if "--dropout" in chapter["accepts"] and chance.random() < 0.5:
        options += ["--dropout", chance.choice(["0", "0.1", "0.5", "0.75", "0.9", "1"])]
    if "--init" in chapter["accepts"] and chance.random() < 0.5:
        options += ["--init", chance.choice(["linear", "rand", "randn"])]
    return options


class Sentences:
    """Patterns of sentences, each with a check of its statement."""

    def __init__(self):
        self.checks = []

    def __call__(self, pattern):
        """Registers the check for sentences that match the pattern: it gets the known facts and the pattern's groups."""
        def add(check):
            self.checks.append((re.compile(pattern), check))
            return check
        return add

    def fault(self, sentence, known):
        """The fault of a sentence: "unknown", "untrue", or nothing."""
        matching = [(check, found) for pattern, check in self.checks if (found := pattern.fullmatch(sentence))]
        if len(matching) != 1:
            return "unknown"
        check, found = matching[0]
        return "" if check(known, *found.groups()) else "untrue"
