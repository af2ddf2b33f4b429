#!/usr/bin/env python3
"""The exercises of the page of --format html in a real Chromium: exercise.py PROGRAM

Hidden numbers are nowhere to be read; answers are judged as --predict judges them; hints hold the operands' numbers; one
digit of one number is wrong; the hidden rule is the one whose numbers --save writes; all of this by keyboard. The numbers
that are expected come from --format json and --save. Exits with 77, skipped, where there is no Chromium."""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import chromium
from chromium import check, equal
from harness import output_of, text_of

STEP = ".step.current"
TASK = f"document.querySelector('{STEP} .task').textContent"
PANEL = f"document.querySelector('{STEP} .derivation').innerText"
CELLS = f"[...document.querySelectorAll('{STEP} .result td[data-position]')].map((cell) => cell.textContent)"


def cell(position):
    return f"{STEP} .result td[data-position='{position}']"


def button(browser, text, within=".derivation .answer"):
    browser.js(f"""[...document.querySelectorAll("{STEP} {within} button")].find((one) => one.textContent === {json.dumps(text)}).click()""")
    browser.wait()


def steps_of(*command):
    """The steps by name, with their numbers in one row."""
    steps = json.loads(text_of(*command, "--format", "json"))["steps"]
    return {step["name"]: {"printed": text_of(*command[:1], "--only", step["name"]),
                           "flat": np.array(step["values"], dtype=np.float32).ravel()}
            for step in steps if "values" in step and step["name"] in ("queries", "keys", "attn_scores", "attn_weights", "context_vecs")}


def printed_cells(step):
    return re.findall(r"-?inf|nan|-?\d[\d.e+-]*", re.sub(r",\s+(dtype|grad_fn)=.*", "", step["printed"], flags=re.S))


def begun(browser):
    """When the exercise is there."""
    for _ in range(40):
        if browser.js(f"Boolean(document.querySelector('{STEP} .exercise'))"):
            return
        browser.wait()


def choose(browser, position):
    """A click on the cell, after one on its slice where another one is shown."""
    browser.js(f"""(() => {{
      const cell = document.querySelector("{cell(position)}");
      if (cell.getClientRects().length) return;
      const slice = [...document.querySelectorAll("{STEP} .result .box")].indexOf(cell.closest(".box"));
      document.querySelectorAll("{STEP} .slices button")[slice].click();
    }})()""")
    browser.wait()
    browser.click(cell(position))


def answer(browser, position, text):
    browser.js(f"document.querySelector(\"{cell(position)}\").focus()")
    browser.key("Enter")
    browser.type(text)
    browser.key("Enter")
    browser.wait()


def verdict(browser):
    return browser.js(f"document.querySelector('{STEP} .verdict').textContent")


def check_numbers(browser, page, steps):
    address = page + "#attn_scores?exercise=numbers&cells=0,1,2;0,3,1"
    browser.open(address)
    step = steps["attn_scores"]
    printed = printed_cells(step)
    equals = [i for i, number in enumerate(step["flat"]) if number in (step["flat"][8], step["flat"][19])]
    shown = browser.js(CELLS)
    equal([i for i, text in enumerate(shown) if text == "?"], equals, "the hidden cells, their equals too")
    equal([text for text in shown if text != "?"], [text for i, text in enumerate(printed) if i not in equals], "the others")
    visible = browser.js(f"document.querySelector('{STEP}').innerText")
    for position in (8, 19):
        elsewhere = {text for i, text in enumerate(printed) if i not in equals}
        check(printed[position] in elsewhere or not re.search(rf"(?<![\d.-]){re.escape(printed[position])}(?!\d)", visible), "a hidden number is told:", printed[position])
    equal(browser.js(TASK), "2 of 2 numbers to compute", "what is to be done")
    browser.hover(cell(8))
    check(printed[8] not in browser.js(PANEL), "the panel tells the number")
    browser.click(cell(8))
    equal(browser.js("document.activeElement.matches('.answer input')"), True, "a click leads to the answer")
    browser.hover(cell(0))
    check("attn_scores[0, 1, 2]" in browser.js(PANEL), "a pointer that passes leaves the answer alone")
    button(browser, "Hint")
    told = browser.js(PANEL)
    queries, keys = (steps[name]["flat"].reshape(2, 6, -1) for name in ("queries", "keys"))
    numbers = [float(number) for number in re.findall(r"= (-?\d\.\d+(?:e-\d+)?)", told)]
    for wanted in [*queries[0, 1], *keys[0, 2]]:
        check(any(np.float32(number) == wanted for number in numbers), "the first hint lacks", wanted)
    check("times" not in told and "product" not in told, "no product yet")
    button(browser, "Hint")
    products = [float(number) for number in re.findall(r"\* .* = (-?\d\.\d+)", browser.js(PANEL))]
    equal(len(products), queries.shape[2], "products of the second hint")
    check(np.allclose(products, queries[0, 1] * keys[0, 2], atol=1e-6), "products of the second hint", products)
    equal(browser.js(f"document.querySelectorAll('{STEP} .derivation .answer button').length"), 2, "no third hint")
    answer(browser, 8, printed[8][:-2])
    check("correct so far: round to 4 places" in verdict(browser) or "no, it is" in verdict(browser), "too few digits", verdict(browser))
    if browser.js(f"document.querySelector(\"{cell(8)}\").textContent") == "?":
        answer(browser, 8, "x")
        answer(browser, 8, printed[8])
    check(verdict(browser).startswith("right") or "no, it is" in verdict(browser), verdict(browser))
    equal(browser.js(f"document.querySelector(\"{cell(8)}\").textContent"), printed[8], "the answered cell")
    check("sum" in browser.js(PANEL), "then it is derived")
    answer(browser, 19, "77")
    equal(verdict(browser), f"no, it is {printed[19]}", "a wrong answer")
    check(re.fullmatch(r"score: [01] of 2 right, with 2 hints", browser.js(TASK)), "the score:", browser.js(TASK))
    equal(browser.js(CELLS), printed, "all cells")
    browser.key("ArrowRight")
    browser.js("location.hash = 'attn_weights'")
    browser.wait()
    browser.js("history.back()")
    browser.wait()
    browser.wait()
    check("with 2 hints" in browser.js(TASK), "whoever comes back finds the score:", browser.js(TASK))
    button(browser, "End", ".exercise")
    equal(browser.js("decodeURIComponent(location.hash).split('?')[1] ?? ''"), "", "the address afterwards")
    equal(browser.js(f"document.querySelector('{STEP} .printed').getClientRects().length > 0"), True, "the printed text is back")
    browser.open(page + "#attn_scores?exercise=numbers&cells=9,9,9")
    check("New chooses one" in browser.js(TASK), "cells that there are not:", browser.js(TASK))
    browser.open(page + "#attn_scores?exercise=numbers")
    check("New chooses one" in browser.js(TASK), "an address without cells:", browser.js(TASK))
    button(browser, "New", ".exercise")
    check("1 number to compute" in browser.js(TASK), "New chooses one:", browser.js(TASK))
    browser.open(page + "#inputs?exercise=numbers&cells=0,0")
    check("no computed number" in browser.js(TASK), "given numbers:", browser.js(TASK))
    check(not browser.errors, "console:", browser.errors)


ANSWERS = ["0.2379", " .2379", "0.23794", "0.23785", "0.2380", "0.2378", "0.24", "0.238", "0.2381", "2.379e-1", "-0.2379", "7", "x", "+0.2379",
           "0.23795", "0.23775", "inf", "nan", "0,2379", "1e-9"]


def check_verdicts(browser, page):
    """The words for an answer are those of --predict in a pipe, but that a coarse one and what is no number are asked again."""
    mean = {"right": "right", "close: it is": "close", "close: right, but": "correct so far", "no, it is": "no, it is", "not a number": "type a number"}
    for typed in ANSWERS:
        talk = text_of("simplified", "--predict", "1", "--only", "attn_weights_2", page=(typed + "\n").encode())
        position = re.search(r"attn_weights_2\[(\d)\] = ", talk)[1]
        line = talk.splitlines()[talk.splitlines().index(next(one for one in talk.splitlines() if one.startswith("attn_weights_2["))) + 1]
        wanted = next(words for start, words in mean.items() if line.startswith(start))
        browser.open(f"{page}#attn_weights_2?exercise=numbers&cells={position}")
        answer(browser, position, typed)
        check(verdict(browser).startswith(wanted), repr(typed), "page:", verdict(browser), "terminal:", line)


def check_wrong(browser, page, steps):
    """One digit, neither the last one nor of more than one cell, of any step."""
    seen = set()
    for name in ("attn_scores", "attn_weights", "context_vecs", "queries"):
        printed = printed_cells(steps[name])
        for seed in (1, 2, 3, 44):
            browser.open(f"{page}#{name}?exercise=wrong&seed={seed}")
            shown = browser.js(CELLS)
            differing = [i for i, (one, other) in enumerate(zip(shown, printed)) if one != other]
            at = differing[0]
            flat = steps[name]["flat"]
            equal(differing, [i for i, number in enumerate(flat) if number == flat[at]], name, seed, "the altered cell, and its equals")
            seen.add((name, at))
            digits = [i for i, (one, other) in enumerate(zip(shown[at], printed[at])) if one != other]
            check(len(shown[at]) == len(printed[at]) and len(digits) == 1 and digits[0] < len(printed[at]) - 1, name, seed, shown[at], printed[at])
            other = next(i for i in (*range(at + 1, len(printed)), *range(at)) if i not in differing and printed[i] not in ("0.0000", "1.0000", "-inf"))
            choose(browser, other)
            button(browser, "This one is wrong")
            equal(verdict(browser), f"no, {printed[other]} is right", name, seed)
            choose(browser, at)
            check(printed[at] not in browser.js(PANEL), "the panel tells the number")
            button(browser, "This one is wrong")
            equal(verdict(browser), f"right: {printed[at]}, not {shown[at]}", name, seed)
            equal(browser.js(TASK), "found after 2 tries", "the score")
            equal(browser.js(CELLS), printed, "then all is as printed")
    check(len(seen) > 10, "seeds choose different cells:", seen)
    check(not browser.errors, "console:", browser.errors)


def check_rule(browser, page, folder):
    rules = browser.js("[...document.querySelectorAll('.what-if option')].map((one) => one.value).slice(1)")
    saved = {}
    for rule in rules:
        output_of("causal", "--what-if", rule, "--steps", "all", "--save", str(folder / rule))
        saved[rule] = {path.stem: np.load(path).ravel() for path in (folder / rule).glob("*.npy")}
    found = set()
    for seed in (1, 2, 3, 5, 8):
        browser.open(f"{page}#context_vecs?exercise=rule&seed={seed}")
        begun(browser)
        text = browser.js("document.body.innerText + document.getElementById('lesson-said').textContent")
        text = text.replace(browser.js(f"document.querySelector('{STEP} .exercise').innerText"), "")
        told = [rule for rule in rules if rule in text]
        equal(told, [], seed, "rules that the page names")
        equal(browser.js("[...document.querySelectorAll('.step.current .exercise select option')].slice(1).map((one) => one.value)"), rules, "choices")
        shown = [float(number) for number in browser.js(CELLS)]
        fitting = [rule for rule in rules if len(saved[rule].get("context_vecs", [])) == len(shown)
                   and np.allclose(saved[rule]["context_vecs"], shown, atol=6e-5, equal_nan=True)]
        check(fitting, seed, "no rule gives these numbers")
        browser.click(cell(0))
        check("Find the rule" in browser.js(PANEL), "the derivation tells the rule:", browser.js(PANEL))
        browser.key("ArrowRight")
        other = next(rule for rule in rules if rule not in fitting)
        choose = """(() => { const list = document.querySelector('.step.current .exercise select'); list.value = %s;
          list.form.requestSubmit(); })()"""
        browser.js(choose % json.dumps(other))
        browser.wait()
        check(browser.js(TASK).startswith(f"No, not {other}."), "a wrong guess:", browser.js(TASK))
        for guess in fitting:
            browser.js(choose % json.dumps(guess))
            browser.wait()
            if browser.js(TASK).startswith("found"):
                found.add(guess)
                break
        check(browser.js(TASK).startswith("found after"), seed, fitting, browser.js(TASK))
        check(browser.js("document.querySelector('.step.current .did').textContent") != "", "then it is told what the rule did")
    check(len(found) > 1, "seeds choose different rules:", found)
    check(not browser.errors, "console:", browser.errors)


def check_dialog(browser, page):
    """x, by keyboard alone: an exercise of as many numbers as are asked for; another one; Escape closes."""
    browser.open(page + "#attn_scores")
    browser.key("x")
    check(browser.js("document.querySelector('dialog.exercises').open"), "x opens the exercises")
    browser.key("Escape")
    check(not browser.js("document.querySelector('dialog.exercises').open"), "Escape closes them")
    browser.key("x")
    browser.js("document.querySelector('dialog.exercises input').value = 4; document.querySelector('dialog.exercises [value=numbers]').focus()")
    browser.key("Enter")
    begun(browser)
    equal(browser.js(TASK), "4 of 4 numbers to compute", "four numbers")
    address = browser.js("location.href")
    before = browser.js(CELLS)
    browser.open(address)
    equal(browser.js(CELLS), before, "the address has the exercise")
    button(browser, "Show me", ".exercise")
    equal(browser.js(TASK), "score: 0 of 4 right", "shown")
    browser.open(page + "#introduction")
    browser.click("button.exercises")
    browser.js("document.querySelector('dialog.exercises [value=wrong]').click()")
    begun(browser)
    check("One digit of one number is wrong" in browser.js(TASK), "from an introduction, the next step with numbers:", browser.js(TASK))
    browser.open(page + "#attn_scores[0,1,2]")
    browser.key("x")
    equal(browser.js("document.querySelector('[value=hide]').textContent"), "Hide attn_scores[0, 1, 2]", "the chosen cell")
    browser.js("document.querySelector('[value=hide]').click()")
    begun(browser)
    equal(browser.js("decodeURIComponent(location.hash)"), "#attn_scores?exercise=numbers&cells=0,1,2", "its address")


def main():
    with tempfile.TemporaryDirectory() as name, chromium.Chromium() as browser:
        folder = pathlib.Path(name)
        browser.size(1366, 768)
        pages = {}
        for chapter in ("causal", "simplified"):
            path = folder / f"{chapter}.html"
            output_of(chapter, "--format", "html", "-o", str(path))
            pages[chapter] = path.as_uri()
        steps = steps_of("causal", "--steps", "all")
        check_numbers(browser, pages["causal"], steps)
        check_dialog(browser, pages["causal"])
        check_wrong(browser, pages["causal"], steps)
        check_rule(browser, pages["causal"], folder)
        check_verdicts(browser, pages["simplified"])
        equal({url for url in browser.requests if not url.startswith("file:")}, set(), "requests")
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
