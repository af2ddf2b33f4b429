"""A program on a pseudo-terminal, and the screen that it draws, which pyte emulates."""

import codecs
import os
import time

import pyte

import harness


class Stream(pyte.Stream):
    """With what xterm has and pyte has not: a character again, and lines that scroll."""

    csi = {**pyte.Stream.csi, "b": "repeat", "S": "scroll_up", "T": "scroll_down"}
    events = pyte.Stream.events | {"repeat", "scroll_up", "scroll_down"}


class Vt(pyte.Screen):
    """The characters of a screen, which of them are in reverse, and the modes that a program must give back."""

    def __init__(self, rows, columns):
        self.last = ""
        self.colours = set()  # 38 if text has had a colour, 48 if the ground has
        super().__init__(columns, rows)

    visible = property(lambda self: not self.cursor.hidden)

    def draw(self, data):
        self.last = data[-1:]
        super().draw(data)

    def repeat(self, count):
        self.draw(count * self.last)

    def scroll_up(self, count):
        self.from_the_top(self.delete_lines, count)

    def scroll_down(self, count):
        self.from_the_top(self.insert_lines, count)

    def from_the_top(self, change, count):
        x, y = self.cursor.x, self.cursor.y
        self.cursor.y = self.margins.top if self.margins else 0
        change(count)
        self.cursor.x, self.cursor.y = x, y

    def select_graphic_rendition(self, *codes):
        self.colours.update([code for code in codes if code in (38, 48)][:1])
        super().select_graphic_rendition(*codes)

    def shown(self):
        return [line.rstrip() for line in self.display]

    def text(self):
        return "\n".join(self.shown())

    def reversed_text(self):
        """What is in reverse between the title and the last row, words apart."""
        rows = [[self.buffer[y][x] for x in range(self.columns)] for y in range(1, self.lines - 1)]
        return " ".join("".join(cell.data if cell.reverse else " " for cell in row) for row in rows).split()

    def changed(self):
        """What is not as it was before the program."""
        return {"alternate screen": 1049 << 5 in self.mode, "hidden cursor": self.cursor.hidden, "keypad mode": 1 << 5 in self.mode,
                "reverse": self.cursor.attrs.reverse}


class Session(harness.Terminal):
    """A program on a pseudo-terminal of its own, and its screen."""

    def __init__(self, arguments, rows=24, columns=80, environment=None):
        self.vt = Vt(rows, columns)
        self.stream = Stream(self.vt)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.raw = ""
        base = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", ""), **(environment or {})}
        super().__init__(arguments, {name: value for name, value in base.items() if value is not None}, rows, columns)
        self.settle()

    def take(self, data):
        text = self.decoder.decode(data)
        self.raw += text
        self.stream.feed(text)

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
        wrong = {"modes": self.after != self.before, **self.vt.changed()}
        return [what for what, is_wrong in wrong.items() if is_wrong]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
