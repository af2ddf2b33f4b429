"""Makes the README's pictures: the page of a lesson, and a heat map in a terminal.

    PYTHONPATH=tests /usr/bin/python3 tests/page/pictures.py build/release/attn-walkthrough
"""
import html
import pathlib
import re
import subprocess
import tempfile

import chromium
from harness import BINARY, Terminal, output_of

FOLDER = pathlib.Path(__file__).resolve().parent / "pictures"


def terminal_output(*arguments):
    """What the program writes on a terminal of 24-bit colour."""
    environment = {"COLORTERM": "truecolor", "TERM": "xterm-256color", "COLUMNS": "80", "LANG": "C.UTF-8"}
    terminal = Terminal([BINARY, *arguments], environment, stdin=subprocess.DEVNULL)
    terminal.end()
    return terminal.text()


def as_html(text):
    """A terminal's colours as spans."""
    body, is_open = "", False
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not codes:
            body += html.escape(part)
            continue
        body += "</span>" if is_open else ""
        style = ""
        for ground, red, green, blue in re.findall(r"(38|48);2;(\d+);(\d+);(\d+)", codes.group(1)):
            style += f"{'color' if ground == '38' else 'background'}:rgb({red},{green},{blue});"
        is_open = bool(style)
        body += f'<span style="{style}">' if is_open else ""
    return ('<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#16161d;color:#ddd}'
            "pre{margin:16px;font:17px/1.35 'DejaVu Sans Mono',monospace}</style><pre>" + body + "</pre>")


def shoot(browser, page, width, height, name):
    browser.size(width, height)
    browser.open(page)
    browser.picture(FOLDER / name)
    print(FOLDER / name)


FOLDER.mkdir(exist_ok=True)
with tempfile.TemporaryDirectory() as folder, chromium.Chromium() as browser:
    lesson = pathlib.Path(folder, "lesson.html")
    output_of("causal", "--format", "html", "-o", str(lesson))
    shoot(browser, lesson.as_uri() + "#attn_weights[0,3,1]", 1280, 920, "lesson.png")
    heatmap = pathlib.Path(folder, "heatmap.html")
    heatmap.write_text(as_html(terminal_output("simplified", "--heatmap", "--only", "attn_weights,context_vecs")))
    shoot(browser, heatmap.as_uri(), 760, 480, "heatmap.png")
