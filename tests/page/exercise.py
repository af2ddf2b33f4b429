#!/usr/bin/env python3
"""The exercises of the page of --format html in a real Chromium: exercise.py PROGRAM

Hidden numbers are nowhere to be read; answers are judged as --predict judges them; hints hold the operands' numbers; one
digit of one number is wrong; the hidden rule is one whose numbers --what-if gives; all of this by keyboard. The numbers that
are expected come from --format json. Exits with 77, skipped, where there is no Chromium."""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import chromium
from chromium import STEP, cell, check, equal
from harness import numbers_of, output_of, text_of

PANEL = f"document.querySelector('{STEP} .derivation').innerText"
CELLS = f"{STEP} .result td[data-position]"
TASK, VERDICT = f"{STEP} .task", f"{STEP} .verdict"


def arrays_of(*options):
    """The numbers of the causal lesson's tensors, each in one row."""
    rows = json.loads(text_of("causal", *options, "--format", "json"))["steps"]
    return {row["name"]: np.array(row["values"], dtype=np.float32).ravel()
            for row in rows if row["kind"] == "tensor" and row["dtype"] == "float32"}


def open_exercise(browser, address):
    browser.open(address)
    browser.until(f"document.querySelector('{STEP} .exercise')")


def button(browser, text, within=".derivation .answer"):
    browser.js(f"""[...document.querySelectorAll("{STEP} {within} button")]
      .find((one) => one.textContent === {json.dumps(text)}).click()""")
    browser.wait()


def choose(browser, position):
    """A cell, whichever slice is shown."""
    browser.js(f"""(() => {{
      const cell = document.querySelector("{cell(position)}");
      const slice = [...document.querySelectorAll("{STEP} .result .box")].indexOf(cell.closest(".box"));
      if (!cell.getClientRects().length) document.querySelectorAll("{STEP} .slices button")[slice].click();
    }})()""")
    browser.wait()
    browser.click(cell(position))


def answer(browser, position, text):
    browser.js(f"document.querySelector(\"{cell(position)}\").focus()")
    browser.key("Enter")
    browser.type(text)
    browser.key("Enter")
    browser.wait()


def guess(browser, rule):
    browser.js(f"""(() => {{
      const list = document.querySelector("{STEP} .exercise select");
      list.value = {json.dumps(rule)};
      list.form.requestSubmit();
    }})()""")
    browser.wait()
    return browser.text(TASK)


def check_numbers(browser, page, steps):
    open_exercise(browser, page + "#attn_scores?exercise=numbers&cells=0,1,2;0,3,1")
    printed, flat = steps["attn_scores"]
    equals = [i for i, number in enumerate(flat) if number in (flat[8], flat[19])]
    equal(browser.texts(CELLS), ["?" if i in equals else text for i, text in enumerate(printed)], "the hidden cells, their equals too")
    visible = browser.js(f"document.querySelector('{STEP}').innerText")
    for position in (8, 19):
        check(not re.search(rf"(?<![\d.-]){re.escape(printed[position])}(?!\d)", visible), "a hidden number is told:", printed[position])
    equal(browser.text(TASK), "2 of 2 numbers to compute", "what is to be done")
    browser.hover(cell(8))
    check(printed[8] not in browser.js(PANEL), "the panel tells the number")
    browser.click(cell(8))
    equal(browser.js("document.activeElement.matches('.answer input')"), True, "a click leads to the answer")
    browser.hover(cell(0))
    check("attn_scores[0, 1, 2]" in browser.js(PANEL), "a pointer that passes leaves the answer alone")
    button(browser, "Hint")
    told = browser.js(PANEL)
    query, key = steps["queries"][1].reshape(2, 6, -1)[0, 1], steps["keys"][1].reshape(2, 6, -1)[0, 2]
    numbers = [np.float32(number) for number in re.findall(r"= (-?\d\.\d+(?:e-\d+)?)", told)]
    check(set(query) | set(key) <= set(numbers), "the first hint has both vectors:", told)
    check("times" not in told and "product" not in told, "no product yet")
    button(browser, "Hint")
    products = [float(number) for number in re.findall(r"\* .* = (-?\d\.\d+)", browser.js(PANEL))]
    check(len(products) == query.size and np.allclose(products, query * key, atol=1e-6), "products of the second hint", products)
    equal(len(browser.texts(STEP + " .derivation .answer button")), 2, "no third hint")
    answer(browser, 8, "x")
    answer(browser, 8, printed[8])
    check(browser.text(VERDICT).startswith("right"), browser.text(VERDICT))
    equal(browser.text(cell(8)), printed[8], "the answered cell")
    check("sum" in browser.js(PANEL), "then it is derived")
    answer(browser, 19, "77")
    equal(browser.text(VERDICT), f"no, it is {printed[19]}", "a wrong answer")
    equal(browser.text(TASK), "score: 1 of 2 right, with 2 hints", "the score")
    equal(browser.texts(CELLS), printed, "all cells")
    browser.js("location.hash = 'attn_weights'")
    browser.until(f"document.querySelector('{STEP}').id === 'attn_weights'")
    browser.js("history.back()")
    browser.until(f"document.querySelector('{TASK}')?.textContent === 'score: 1 of 2 right, with 2 hints'")
    button(browser, "End", ".exercise")
    equal((browser.address().partition("?")[2], browser.count(STEP + " .printed")), ("", 1),
          "without the exercise, the printed text is back")
    for address, words in (("attn_scores?exercise=numbers&cells=9,9,9", "New chooses one"),
                           ("inputs?exercise=numbers&cells=0,0", "no computed number"),
                           ("attn_scores?exercise=numbers", "New chooses one")):
        open_exercise(browser, f"{page}#{address}")
        check(words in browser.text(TASK), address, browser.text(TASK))
    button(browser, "New", ".exercise")
    check("1 number to compute" in browser.text(TASK), "New chooses one:", browser.text(TASK))


ANSWERS = ["0.2379", " .2379", "0.23794", "0.23785", "0.2380", "0.2378", "0.24", "0.238", "0.2381", "2.379e-1", "-0.2379",
           "7", "x", "+0.2379",
           "0.23795", "0.23775", "inf", "nan", "0,2379", "1e-9"]


def check_verdicts(browser, page):
    """The words for an answer are those of --predict in a pipe, but that a coarse one and what is no number are asked again."""
    means = {"right": "right", "close: it is": "close", "close: right, but": "correct so far",
             "no, it is": "no, it is", "not a number": "type a number"}
    for typed in ANSWERS:
        talk = text_of("simplified", "--predict", "1", "--only", "attn_weights_2", page=(typed + "\n").encode())
        position, line = re.search(r"(?m)^attn_weights_2\[(\d)\] = .*\n(.*)", talk).groups()
        wanted = next(words for start, words in means.items() if line.startswith(start))
        open_exercise(browser, f"{page}#attn_weights_2?exercise=numbers&cells={position}")
        answer(browser, position, typed)
        check(browser.text(VERDICT).startswith(wanted), repr(typed), "page:", browser.text(VERDICT), "terminal:", line)


def check_wrong(browser, page, steps):
    """One digit, neither the last one nor of more than one number, of any step."""
    seen = set()
    for name in ("attn_scores", "attn_weights", "context_vecs", "queries"):
        printed, flat = steps[name]
        for seed in (1, 2, 3, 44):
            open_exercise(browser, f"{page}#{name}?exercise=wrong&seed={seed}")
            shown = browser.texts(CELLS)
            differing = [i for i, (one, other) in enumerate(zip(shown, printed)) if one != other]
            at = differing[0]
            equal(differing, [i for i, number in enumerate(flat) if number == flat[at]], name, seed, "the altered cell, and its equals")
            seen.add((name, at))
            digits = [i for i, (one, other) in enumerate(zip(shown[at], printed[at])) if one != other]
            check(len(shown[at]) == len(printed[at]) and len(digits) == 1 and digits[0] < len(printed[at]) - 1,
                  name, seed, shown[at], printed[at])
            other = next(i for i in (*range(at + 1, len(printed)), *range(at))
                         if i not in differing and printed[i] not in ("0.0000", "1.0000", "-inf"))
            for position, verdict in ((other, f"no, {printed[other]} is right"), (at, f"right: {printed[at]}, not {shown[at]}")):
                choose(browser, position)
                check(printed[at] not in browser.js(PANEL), "the panel tells the number")
                button(browser, "This one is wrong")
                equal(browser.text(VERDICT), verdict, name, seed)
            equal((browser.text(TASK), browser.texts(CELLS)), ("found after 2 tries", printed), "then all is as printed")
    check(len(seen) > 10, "seeds choose different cells:", seen)


def check_rule(browser, page):
    browser.open(page + "#context_vecs")
    rules = browser.js("[...document.querySelectorAll('.what-if option')].map((one) => one.value).slice(1)")
    changed = {rule: arrays_of("--what-if", rule)["context_vecs"] for rule in rules}
    found = set()
    for seed in (1, 2, 3, 5, 8):
        open_exercise(browser, f"{page}#context_vecs?exercise=rule&seed={seed}")
        text = browser.js(f"""document.body.innerText.replace(document.querySelector("{STEP} .exercise").innerText, "") +
          document.getElementById("lesson-said").textContent""")
        equal([rule for rule in rules if rule in text], [], seed, "rules that the page names")
        equal(browser.js(f"[...document.querySelectorAll('{STEP} .exercise select option')].slice(1).map((one) => one.value)"),
              rules, "choices")
        shown = [float(number) for number in browser.texts(CELLS)]
        fitting = [rule for rule, flat in changed.items()
                   if len(flat) == len(shown) and np.allclose(flat, shown, atol=6e-5, equal_nan=True)]
        check(fitting, seed, "no rule gives these numbers")
        browser.click(cell(0))
        check("Find the rule" in browser.js(PANEL), "the derivation tells the rule:", browser.js(PANEL))
        other = next(rule for rule in rules if rule not in fitting)
        told = guess(browser, other)
        check(told.startswith(f"No, not {other}."), "a wrong guess:", told)
        right = next((rule for rule in fitting if guess(browser, rule).startswith("found after")), None)
        check(right, seed, fitting, browser.text(TASK))
        found.add(right)
        check(browser.text(STEP + " .did"), "then it is told what the rule did")
    check(len(found) > 1, "seeds choose different rules:", found)


def check_dialog(browser, page):
    """x, by keyboard alone: an exercise of as many numbers as are asked for; another one; Escape closes."""
    is_open = "document.querySelector('dialog.exercises').open"
    browser.open(page + "#attn_scores")
    for key, wanted in (("x", True), ("Escape", False), ("x", True)):
        browser.key(key)
        equal(browser.js(is_open), wanted, "the exercises after", key)
    browser.js("document.querySelector('dialog.exercises input').value = 4")
    browser.js("document.querySelector('dialog.exercises [value=numbers]').focus()")
    browser.key("Enter")
    browser.until(f"document.querySelector('{TASK}')")
    equal(browser.text(TASK), "4 of 4 numbers to compute", "four numbers")
    before = browser.texts(CELLS)
    open_exercise(browser, browser.js("location.href"))
    equal(browser.texts(CELLS), before, "the address has the exercise")
    button(browser, "Show me", ".exercise")
    equal(browser.text(TASK), "score: 0 of 4 right", "shown")
    browser.open(page + "#introduction")
    browser.click("button.exercises")
    browser.js("document.querySelector('dialog.exercises [value=wrong]').click()")
    browser.until(f"document.querySelector('{TASK}')")
    check("One digit of one number is wrong" in browser.text(TASK), "from an introduction, the next step with numbers:", browser.text(TASK))
    browser.open(page + "#attn_scores[0,1,2]")
    browser.key("x")
    equal(browser.text("[value=hide]"), "Hide attn_scores[0, 1, 2]", "the chosen cell")
    browser.js("document.querySelector('[value=hide]').click()")
    browser.until(f"document.querySelector('{TASK}')")
    equal(browser.address(), "#attn_scores?exercise=numbers&cells=0,1,2", "its address")


def main():
    with tempfile.TemporaryDirectory() as name, chromium.Chromium() as browser:
        browser.size(1366, 768)
        pages = {chapter: pathlib.Path(name, f"{chapter}.html").as_uri() for chapter in ("causal", "simplified")}
        for chapter, uri in pages.items():
            output_of(chapter, "--format", "html", "-o", uri.removeprefix("file://"))
        steps = {name: (numbers_of(text_of("causal", "--only", name)), flat) for name, flat in arrays_of().items()}
        check_numbers(browser, pages["causal"], steps)
        check_dialog(browser, pages["causal"])
        check_wrong(browser, pages["causal"], steps)
        check_rule(browser, pages["causal"])
        check_verdicts(browser, pages["simplified"])
        equal(browser.errors, [], "console")
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
