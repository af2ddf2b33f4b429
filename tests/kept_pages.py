"""Pages that `verify` is tried on: kept.txt has them all, students.txt programs of students, each with one mistake or right.

    /usr/bin/python3 tests/kept_pages.py

runs their programs again and writes what they print; PyTorch 1.13 and numpy 1.24 made what is kept. In kept.txt a line
`=== NAME` begins a page: true-*.md looked like something else once, draws*.md draw random numbers, mistake-*.txt are the
blog's causal chapter with one line written otherwise, page-N.txt lessons with random sizes, inputs and print calls, and
page-N.json says of each tensor whether it can be known: "lesson" (a seeded draw stands behind it that an article's lesson
has), "follows" (from what is printed before it, or given), "hidden". In students.txt an entry is a line
`=== NAME: FAULT: LINE` (LINE is told, or one of several between ` || `; FAULT is "right" without one), the page's title,
the program, a line `---`, and its output.
"""
import atexit
import contextlib
import dataclasses
import functools
import io
import pathlib
import re
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "pages"


def kept():
    """Each page's text by its name."""
    parts = re.split(r"^=== (\S+)\n", (FOLDER / "kept.txt").read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


@functools.cache
def folder():
    """The pages as files, tests/pages in a folder that is gone with the process."""
    temporary = tempfile.TemporaryDirectory()
    atexit.register(temporary.cleanup)
    unpacked = pathlib.Path(temporary.name, "tests/pages")
    unpacked.mkdir(parents=True)
    for name, text in kept().items():
        (unpacked / name).write_text(text)
    return unpacked


@dataclasses.dataclass
class Student:
    name: str
    fault: str
    line: str
    title: str
    program: str
    output: str

    def page(self):
        return f"# {self.title}\n\n```python\n{self.program}```\n\n```\n{self.output}```\n"

    def lines_on_page(self):
        """Where the mistake may be told: at the lines of LINE."""
        lines = [line.strip() for line in self.page().splitlines()]
        return [1 + lines.index(line) for line in self.line.split(" || ")]

    def entry(self):
        return f"=== {self.name}: {self.fault}: {self.line}\n# {self.title}\n{self.program}---\n{self.output}"


def students():
    entry = re.compile(r"=== (\S+): ([\w-]+): (.*)\n# (.*)\n((?s:.*?))---\n((?s:.*?))(?====|\Z)")
    return [Student(*found.groups()) for found in entry.finditer((FOLDER / "students.txt").read_text())]


def output_of(program, scope):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "program", "exec"), scope)
    return out.getvalue()


def run_again(page):
    """The page with what its blocks of Python print now, one program."""
    import numpy
    import torch
    scope = {"torch": torch, "nn": torch.nn, "np": numpy, "__name__": "__main__"}

    def block(found):
        return f"```python\n{found[1]}```\n\n```\n{output_of(found[1], scope)}```\n"
    return re.sub(r"```python\n((?s:.*?))```\n\n```\n(?s:.*?)```\n", block, page)


def make():
    pages = {name: run_again(text) if name.endswith(".md") else text for name, text in kept().items()}
    (FOLDER / "kept.txt").write_text("".join(f"=== {name}\n{text}" for name, text in sorted(pages.items())))
    again = [dataclasses.replace(one, output=output_of(one.program, {"__name__": "__main__"})) for one in students()]
    (FOLDER / "students.txt").write_text("".join(one.entry() for one in again))


if __name__ == "__main__":
    make()
