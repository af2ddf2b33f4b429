"""Programs of students, each with one mistake or right, and what PyTorch prints of them: students.txt.

    /usr/bin/python3 tests/pages/make_students.py

runs all programs again and writes their output. An entry is a line `=== NAME: FAULT: LINE` (LINE is told, or one of
several between ` || `; FAULT is "right" without one), the page's title, the program, a line `---`, and its output.
"""
import contextlib
import dataclasses
import io
import pathlib
import re

FILE = pathlib.Path(__file__).with_name("students.txt")


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


def read():
    entry = re.compile(r"=== (\S+): ([\w-]+): (.*)\n# (.*)\n((?s:.*?))---\n((?s:.*?))(?====|\Z)")
    return [Student(*found.groups()) for found in entry.finditer(FILE.read_text(encoding="utf-8"))]


def run(program):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


if __name__ == "__main__":
    students = [dataclasses.replace(student, output=run(student.program)) for student in read()]
    FILE.write_text("".join(student.entry() for student in students), encoding="utf-8")
