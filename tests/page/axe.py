#!/usr/bin/env python3
"""axe-core finds no fault in the pages of --format html: axe.py PROGRAM FOLDER

Every chapter, and one article's on one page, as it is seen in both themes, from a phone's width to a projector's, at one
step after the other, a cell chosen and none, as it is and with a rule changed; verify's report; and the page that computes
its lesson, if the program can write it. With ATTN_TEST_EVERY a third of the chapters, each in some of these ways, others
each day. FOLDER gets axe-core from npm. Exits with 77, skipped, where there is no Chromium or no axe-core."""

import base64
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import chromium
import live
from chromium import equal
from harness import output_of, run, sample, text_of

AXE = "axe-core@4.14.1"
WIDTHS = {390: 844, 768: 1024, 1280: 720, 1920: 1080}
LOOKS = list(itertools.product(WIDTHS, ("light", "dark")))


def install(folder):
    """axe-core's script in that folder, installed where it is missing; else why it cannot be had."""
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        if not shutil.which("npm"):
            return None, "no npm here; install nodejs and npm"
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund",
                   "--fetch-retries=1", "--fetch-timeout=30000", AXE]
        try:
            got = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 encoding="utf-8", timeout=180)
        except subprocess.TimeoutExpired:
            return None, f"npm does not get {AXE} in three minutes"
        if got.returncode or not script.exists():
            code = [line.split()[-1] for line in got.stderr.splitlines() if " code " in line]
            return None, f"npm cannot get {AXE}: {' '.join(code) or got.returncode}"
    return script.read_text(encoding="utf-8"), ""


# What axe-core finds: the rule, its help and where.
RUN = """axe.run({resultTypes: ["violations"]}).then(({violations}) =>
  violations.map(({id, help, nodes}) => `${id}: ${help}: ${nodes.slice(0, 3).map(({html, target}) =>
    `${target.join(" ")} ${html.slice(0, 200)}`).join(" | ")}`))"""


def look_at(browser, width, theme):
    browser.size(width, WIDTHS[width], mobile=width < 600)
    browser.media(prefers_color_scheme=theme)


def look_for_faults(browser, *what):
    for found in browser.js(RUN):
        chromium.check(False, *what, found)


def change(browser, i):
    """A what-if is chosen, and either what it made of the step is shown, or the difference."""
    rules = browser.js("[...document.querySelectorAll('.what-if option')].map((one) => one.value).slice(1)")
    browser.open(browser.js("location.href") + f"?what-if={rules[i % len(rules)]}" + ("&show=difference" if i % 2 else ""))
    browser.wait()


def check_lesson(browser, script, page, number):
    """Every look, each at another step, these spread over the chapter; a chosen cell in every other one."""
    browser.open(page.as_uri())
    ids = browser.js("[...document.querySelectorAll('article.step')].map((step) => step.id)")
    for i, (width, theme) in sample(enumerate(LOOKS), number, within=3):
        step = ids[i * len(ids) // len(LOOKS)]
        look_at(browser, width, theme)
        browser.open(f"{page.as_uri()}#{step}")
        if i % 3 == 1:
            change(browser, i)
        if (i + i // 2) % 2:
            browser.js("document.querySelector('.step.current .result td[data-position]')?.focus()")
            browser.wait()
        browser.js(script)
        look_for_faults(browser, page.stem, step, width, theme)
    look_at(browser, 390, "dark")
    browser.open(page.as_uri())
    browser.click(".toggle-contents")
    browser.js(script)
    look_for_faults(browser, page.stem, "contents open")


def check_exercises(browser, script, page):
    """Each exercise, with a question open and answered; the dialog; the projector; all slices in a grid."""
    for width, theme in sample(LOOKS):
        look_at(browser, width, theme)
        for exercise in ("numbers&cells=0,1,2", "wrong&seed=3", "rule&seed=3"):
            browser.open(f"{page.as_uri()}#attn_scores?exercise={exercise}")
            browser.js("document.querySelector('.step.current .result td[data-position=\"8\"]').focus()")
            browser.js(script)
            look_for_faults(browser, exercise, width, theme)
            browser.js("document.querySelector('.step.current .derivation .answer button:nth-of-type(2)')?.click()")
            look_for_faults(browser, exercise, width, theme, "with a hint")
            browser.js("[...document.querySelectorAll('.step.current .exercise > button')][0].click()")
            browser.wait()
            look_for_faults(browser, exercise, width, theme, "shown")
        browser.key("x")
        look_for_faults(browser, "the exercises' dialog", width, theme)
        browser.key("Escape")
        for key in ("a", "p"):
            browser.key(key)
            look_for_faults(browser, "after", key, width, theme)


def check_report(browser, script, scratch):
    """A report on a page with one wrong number, without and with its derivation."""
    text = text_of("causal")
    report = scratch / "report.html"
    run("verify", "-", "--format", "html", "-o", report, page=text.replace("0.5608", "0.5708", 1).encode())
    for width, theme in sample(LOOKS):
        look_at(browser, width, theme)
        browser.open(report.as_uri())
        browser.js(script)
        look_for_faults(browser, "report", width, theme)
        browser.hover(".wrong.cell")
        look_for_faults(browser, "report with a derivation", width, theme)


def check_live(browser, script, scratch):
    """The page that computes, with all its settings shown: another lesson, an error, the report on a page."""
    page = scratch / "live.html"
    output_of("causal", "--live", "-o", page)
    text = base64.b64encode(text_of("causal").replace("0.5608", "0.5708", 1).encode()).decode()
    for i, (width, theme) in sample(enumerate(LOOKS)):
        look_at(browser, width, theme)
        browser.open(page.as_uri())
        browser.js(script)
        look_for_faults(browser, "live", width, theme)
        browser.js("document.querySelector('.live details').open = true")
        for address in ("multihead?seed=7/attn_scores", "causal?tokens=0"):
            live.go(browser, f"#{address}")
            look_for_faults(browser, "live", address, width, theme)
        live.go(browser, "#causal?seed=7")
        browser.js(f"{live.BRING}('drop', [['page.txt', '{text}']], true)")
        look_for_faults(browser, "live, a report", width, theme)
        browser.key("Escape")
        equal(browser.js("document.querySelector('dialog[open]')"), None, "the report after Escape")


def main():
    folder = pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch, chromium.Chromium() as browser:
        script, why = install(folder)
        if script is None:
            print("skipped:", why)
            return 77
        chapters = json.loads(text_of("list", "--format", "json"))["chapters"]
        for number, chapter in sample(enumerate(chapters), most=3):
            page = pathlib.Path(scratch, f"{chapter['article']}-{chapter['chapter']}.html")
            output_of(chapter["chapter"], "--article", chapter["article"], "--steps", "all", "--format", "html", "-o", page)
            check_lesson(browser, script, page, number)
        article = pathlib.Path(scratch, "article.html")
        output_of("all", "--format", "html", "-o", article)
        check_lesson(browser, script, article, len(chapters))
        causal = pathlib.Path(scratch, "causal.html")
        output_of("causal", "--steps", "all", "--format", "html", "-o", causal)
        check_exercises(browser, script, causal)
        check_report(browser, script, pathlib.Path(scratch))
        if run("causal", "--format", "html", "--live").returncode:
            print("left out: the page that computes its lesson; this program was built without --live")
        else:
            check_live(browser, script, pathlib.Path(scratch))
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
