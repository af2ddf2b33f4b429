"""A program on a pseudo-terminal, and the screen that it draws: enough of an xterm for ncurses' output."""

import codecs
import os
import re
import time
import unicodedata

import harness

CSI = re.compile(r"\x1b\[([?>]?)([0-9;:]*)([@-~])")
SKIPPED = re.compile(r"\x1b(?:[()*+].|[=>78M]|\][^\x07]*\x07)")


class Vt:
    """The characters of a screen, which of them are in reverse, and the modes that a program must give back."""

    def __init__(self, rows, columns):
        self.alternate = False
        self.visible = True
        self.keypad = False
        self.reverse = False
        self.resize(rows, columns)
        self.rest = ""
        self.colours = set()

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[(" ", False)] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1
        self.last = " "

    def lines(self):
        return ["".join(cell[0] for cell in row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())

    def reversed_text(self, first=1, last=-1):
        """What is in reverse between the title and the last row, words apart."""
        rows = ["".join(c if on else " " for c, on in row) for row in self.cells[first:last]]
        return " ".join(rows).split()

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = CSI.match(text, at) or SKIPPED.match(text, at)
                if not match:
                    self.rest = text[at:]
                    if len(self.rest) > 200:
                        raise ValueError(f"unknown sequence {self.rest[:20]!r}")
                    return
                if match.re is CSI:
                    self.control(*match.groups())
                elif match.group() == "\x1bM":
                    self.reverse_line_feed()
                elif match.group() in ("\x1b=", "\x1b>"):
                    self.keypad = match.group() == "\x1b="
                at = match.end()
            else:
                self.put(text[at])
                at += 1

    def put(self, c):
        if c == "\r":
            self.column = 0
        elif c == "\n":
            self.line_feed()
        elif c == "\b":
            self.column = max(self.column - 1, 0)
        elif c == "\t":
            self.column = min((self.column // 8 + 1) * 8, self.columns - 1)
        elif c >= " ":
            self.write(c)

    def write(self, c):
        if unicodedata.combining(c):
            return
        if self.column >= self.columns:
            self.column = 0
            self.line_feed()
        self.cells[self.row][self.column] = (c, self.reverse)
        self.column += 1
        self.last = c

    def line_feed(self):
        if self.row == self.bottom:
            self.delete_lines(self.top, 1)
        elif self.row < self.rows - 1:
            self.row += 1

    def reverse_line_feed(self):
        if self.row == self.top:
            self.insert_lines(self.top, 1)
        else:
            self.row = max(self.row - 1, 0)

    def delete_lines(self, at, count):
        for _ in range(count):
            del self.cells[at]
            self.cells.insert(self.bottom, [(" ", False)] * self.columns)

    def insert_lines(self, at, count):
        for _ in range(count):
            del self.cells[self.bottom]
            self.cells.insert(at, [(" ", False)] * self.columns)

    def control(self, private, parameters, final):
        numbers = [int(n) if n else 0 for n in re.split("[;:]", parameters)]
        count = max(numbers[0], 1)
        row = self.cells[self.row] if self.row < self.rows else None
        blank = (" ", False)
        if private:
            for number in numbers:
                self.mode(number, final == "h")
        elif final == "m":
            self.style(numbers)
        elif final in "Hf":
            self.row = min(count, self.rows) - 1
            self.column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif final == "d":
            self.row = min(count, self.rows) - 1
        elif final in "G`":
            self.column = min(count, self.columns) - 1
        elif final == "A":
            self.row = max(self.row - count, 0)
        elif final == "B":
            self.row = min(self.row + count, self.rows - 1)
        elif final == "C":
            self.column = min(self.column + count, self.columns - 1)
        elif final == "D":
            self.column = max(self.column - count, 0)
        elif final == "J":
            cut = {0: (self.row, self.column), 2: (0, 0)}[numbers[0]]
            self.cells[cut[0]][cut[1]:] = [blank] * (self.columns - cut[1])
            for below in range(cut[0] + 1, self.rows):
                self.cells[below] = [blank] * self.columns
        elif final == "K":
            begin, end = [(self.column, self.columns), (0, self.column + 1), (0, self.columns)][numbers[0]]
            row[begin:end] = [blank] * (end - begin)
        elif final == "X":
            end = min(self.column + count, self.columns)
            row[self.column:end] = [blank] * (end - self.column)
        elif final == "P":
            del row[self.column:self.column + count]
            row.extend([blank] * (self.columns - len(row)))
        elif final == "@":
            row[self.column:self.column] = [blank] * count
            del row[self.columns:]
        elif final == "b":
            for _ in range(count):
                self.write(self.last)
        elif final == "L":
            self.insert_lines(self.row, count)
        elif final == "M":
            self.delete_lines(self.row, count)
        elif final == "S":
            self.delete_lines(self.top, count)
        elif final == "T":
            self.insert_lines(self.top, count)
        elif final == "r":
            self.top = count - 1
            self.bottom = (numbers[1] if len(numbers) > 1 and numbers[1] else self.rows) - 1
            self.row = self.column = 0
        elif final not in "hlt":
            raise ValueError(f"unknown sequence CSI {parameters} {final}")

    def style(self, numbers):
        for i, number in enumerate(numbers):
            if number in (38, 48):
                self.colours.add(tuple(numbers[i:i + 3]))
                return
            if number in (0, 7, 27):
                self.reverse = number == 7

    def mode(self, number, on):
        if number == 1049:
            self.alternate = on
        elif number == 25:
            self.visible = on
        elif number == 1:
            self.keypad = on


class Session(harness.Terminal):
    """A program on a pseudo-terminal of its own, and its screen."""

    def __init__(self, arguments, rows=24, columns=80, environment=None):
        self.vt = Vt(rows, columns)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.raw = ""
        base = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", ""), **(environment or {})}
        super().__init__(arguments, {name: value for name, value in base.items() if value is not None}, rows, columns)
        self.settle()

    def take(self, data):
        text = self.decoder.decode(data)
        self.raw += text
        self.vt.feed(text)

    def wait_for(self, wanted, seconds=20):
        """Reads until the screen has this text."""
        deadline = time.monotonic() + seconds
        while wanted not in self.vt.text():
            if time.monotonic() > deadline:
                raise AssertionError(f"no {wanted!r} on the screen:\n{self.vt.text()}")
            self.pump(0.1)
        self.settle(0.05)
        return self.vt.text()

    def keys(self, text):
        self.type(text.encode())

    def press(self, text, wanted=None):
        self.keys(text)
        if wanted is not None:
            return self.wait_for(wanted)
        self.settle(0.3 if text.endswith("\x1b") else None)  # which may be a key's beginning
        return self.vt.text()

    def resize(self, rows, columns):
        self.vt.resize(rows, columns)
        self.set_size(rows, columns)
        self.settle(0.3)

    def given_back(self):
        """What of the terminal is not as it was; empty where all is. To be asked after the program's end."""
        wrong = []
        if self.after != self.before:
            wrong.append("modes")
        if self.vt.alternate:
            wrong.append("alternate screen")
        if not self.vt.visible:
            wrong.append("hidden cursor")
        if self.vt.keypad:
            wrong.append("keypad mode")
        if self.vt.reverse:
            wrong.append("reverse")
        return wrong

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
