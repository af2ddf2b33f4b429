#!/usr/bin/env python3
"""What a reader does with a page, by pointer, keyboard and address, in a real Chromium: gestures.py PROGRAM

Exits with 77, skipped, where there is no Chromium."""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import chromium
from chromium import STEP, cell, check, equal
from harness import output_of, run, text_of

AT = "Number(document.activeElement.dataset.position ?? -1)"
PRESSED = f"document.querySelector('{STEP} .switch:not([hidden]) [aria-pressed=true]')?.textContent ?? null"


def panel(browser):
    return browser.js(f"document.querySelector('{STEP} .derivation').innerText")


def marked(browser, table):
    """The positions of the marked cells in the table whose caption begins so."""
    return browser.js(f"""[...document.querySelectorAll("{STEP} .operands table")]
      .filter((one) => one.caption.textContent.startsWith({json.dumps(table)}))
      .flatMap((one) => [...one.querySelectorAll("td.met")].map((cell) => Number(cell.dataset.position)))""")


def check_pointer(browser, page):
    browser.open(page + "#attn_scores")
    check("Point at" in panel(browser), "a hint before anything is chosen")
    browser.hover(cell(8))
    equal(marked(browser, "queries[0]"), [3, 4, 5], "hover: the row of queries")
    equal(marked(browser, "keys_transposed[0]"), [2, 8, 14], "hover: the column of keys_transposed")
    for part in ("attn_scores[0, 1, 2]", "journey", "starts", "queries", "product", "sum"):
        check(part in panel(browser), "hover: the derivation lacks", part)
    browser.hover("h1")
    check("Point at" in panel(browser), "the derivation goes when the pointer leaves")
    browser.click(cell(8))
    browser.hover("h1")
    check("attn_scores[0, 1, 2]" in panel(browser), "a clicked cell stays")
    equal(browser.address(), "#attn_scores[0,1,2]", "the address has the cell")
    said = browser.text("#lesson-said[aria-live=polite]") or ""
    check("attn_scores[0, 1, 2], journey, starts:" in said and " times " in said, "read out:", said)
    browser.click(STEP + " h2")
    equal((browser.address(), browser.count(STEP + " td.at")), ("#attn_scores", 0), "a click elsewhere releases it")
    for step, at, wanted in (("attn_weights", 7, "The exponentials sum to"), ("masked_attn_scores", 1, "Masked"),
                             ("masked_attn_scores", 6, "The same number as"), ("inputs", 0, "Given"),
                             ("dropout_attn_weights", 6, "Kept"), ("dropout_attn_weights", 0, "Dropped")):
        browser.open(f"{page}#{step}")
        browser.hover(cell(at))
        check(wanted in panel(browser), step, "derivation:", panel(browser))


def check_keyboard(browser, page):
    browser.open(page)
    ids = browser.js("[...document.querySelectorAll('article.step')].map((step) => step.id)")
    for key, wanted in (("Home", 0), ("ArrowRight", 1), ("PageDown", 2), ("ArrowLeft", 1), ("PageUp", 0), ("PageUp", 0),
                        ("End", -1), ("ArrowRight", -1), ("Home", 0)):
        browser.key(key)
        equal(browser.current(), ids[wanted], "after", key)
        equal(len(browser.texts("nav [aria-current]")), 1, "one entry is current")
    browser.open(page + "#attn_scores")
    browser.js(f"document.querySelector('{STEP}').focus()")
    for _ in range(8):
        browser.key("Tab")
        if browser.js(AT) >= 0:
            break
    for key, modifiers, wanted in (("ArrowRight", 0, 1), ("ArrowDown", 0, 7), ("ArrowLeft", 0, 6), ("ArrowLeft", 0, 6), ("End", 0, 11),
                                   ("Home", 0, 6), ("ArrowUp", 0, 0), ("End", 2, 71), ("ArrowUp", 0, 65), ("Home", 2, 0)):
        browser.key(key, modifiers)
        equal((browser.current(), browser.js(AT)), ("attn_scores", wanted), "the cell after", key)
        equal(len(browser.texts(STEP + ' [role=grid] [tabindex="0"]')), 1, "one tab stop")
        check(browser.js("document.activeElement.getClientRects().length > 0"), "the focused cell is seen")
    browser.key("Escape")
    equal(browser.js(AT), -1, "after Escape")
    browser.key("ArrowRight")
    equal(browser.current(), ids[ids.index("attn_scores") + 1], "arrows step again")
    browser.size(390, 844)
    for inside in (".derivation a", ".operands .scroll[tabindex]"):
        browser.open(page + "#attn_scores[0,1,2]")
        browser.js(f"document.querySelector('{STEP} {inside}').focus()")
        equal(browser.js(AT), -1, inside, "takes the focus")
        browser.key("Escape")
        equal(browser.js(AT), 8, "Escape in", inside)
        check("attn_scores[0, 1, 2]" in panel(browser), "its derivation stays")
    browser.js(f"document.querySelector('{STEP} .operands .scroll[tabindex]').focus()")
    browser.key("ArrowRight")
    equal(browser.current(), "attn_scores", "an arrow in a box that scrolls")
    browser.click(".toggle-contents")
    equal(browser.count("nav"), 1, "the contents open")
    browser.click("nav li:nth-child(2) a")
    equal(browser.count("nav"), 0, "and close")
    browser.size(1280, 720)
    browser.open(page + "#attn_scores")
    equal(len(browser.texts(STEP + " .operands [tabindex]")), 0, "boxes that need not scroll are no tab stops")


def check_addresses(browser, page):
    for address, step, at in (("attn_scores[0,1,2]", "attn_scores", 8), ("attn_scores[9,9,9]", "attn_scores", -1),
                              ("nonsense%", "introduction", -1)):
        browser.open(f"{page}#{address}")
        equal((browser.current(), browser.js(AT)), (step, at), "an address:", address)
    browser.open(page + "#attn_scores")
    browser.click(STEP + " .links a")
    equal(browser.current(), "queries", "a link to where a step came from")
    browser.js("history.back()")
    browser.until(f"document.querySelector('{STEP}').id === 'attn_scores'")
    browser.media(prefers_color_scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = browser.js(paper)
    for is_dark in (False, True):
        browser.click(".theme")
        equal((browser.js(paper) == dark, browser.js("document.querySelector('.theme').ariaPressed")),
              (is_dark, str(is_dark).lower()), "the theme's button")
    browser.js("localStorage.clear()")
    browser.media()


def check_what_if(browser, page, folder):
    """The rule is chosen once and kept; buttons, w and addresses say what is shown; the chosen cell and the colours stay."""
    state = lambda: [browser.js(PRESSED), browser.address()]
    colours = f"""[...document.querySelectorAll("{STEP} .map td[data-position]")]
      .map((one) => [one.textContent, getComputedStyle(one).backgroundColor])"""
    browser.open(page + "#attn_weights")
    equal(state(), [None, "#attn_weights"], "before a rule is chosen")
    plain, legend = browser.js(f"document.querySelector('{STEP} .look').innerText"), browser.text(STEP + " .legend")
    browser.choose("no-mask")
    equal(state(), ["changed", "#attn_weights?what-if=no-mask"], "a rule chosen")
    check("Changed by no-mask. Without a mask" in browser.text("#lesson-said"), "announced:", browser.text("#lesson-said"))
    browser.click(cell(7))
    changed = browser.js(colours)
    for show in ("difference", "original"):
        browser.key("w")
        equal(state(), [show, f"#attn_weights[0,1,1]?what-if=no-mask&show={show}"], "after w")
        equal(browser.js(AT), 7, "w keeps the cell")
    equal(browser.text(STEP + " .legend"), legend, "one scale for both, here the original's")
    alike = dict(map(tuple, changed)).items() & dict(map(tuple, browser.js(colours))).items()
    check(len(alike) >= 20, "numbers that both show have the same colours, operands too:", len(alike))
    browser.click(".switch button:nth-child(2)")
    equal(state(), ["changed", "#attn_weights[0,1,1]?what-if=no-mask"], "a button")
    browser.click(STEP + " .links a")
    equal((browser.current(), state()[0]), ("scaled_attn_scores", "changed"), "kept by a link")
    browser.js("history.back()")
    browser.until(f"document.querySelector('{STEP}').id === 'attn_weights'")
    equal(state()[0], "changed", "back")
    browser.choose("")
    browser.key("w")
    equal(browser.js("document.activeElement.localName"), "select", "w without a rule")
    browser.key("Escape")
    equal(browser.js(AT), 7, "Escape comes back from the list")
    browser.key("Escape")
    equal((state(), browser.js(f"document.querySelector('{STEP} .look').innerText")), ([None, "#attn_weights"], plain), "no rule again")
    browser.open(page + "#attn_weights[0,1,2]?what-if=no-mask", "no-mask")
    equal((browser.js(PRESSED), browser.js("document.activeElement.textContent")), ("changed", "0.1743"), "an address with all")
    for query in ("?what-if=nonsense", "?", "?show=difference", "?what-if=__proto__&show=constructor"):
        browser.open(f"{page}#attn_weights{query}")
        equal(state()[0], None, "an address with", query)
    path = folder / "asked.html"
    output_of("causal", "--what-if", "no-mask", "--output", path)
    browser.open(path.as_uri())
    equal(browser.address(), "#introduction?what-if=no-mask", "a page made with --what-if opens with it")
    browser.open(path.as_uri() + "#attn_weights")
    equal(state()[0], None, "the original, by an address that says nothing of it")
    output_of("causal", "--only", "scaled_attn_scores,attn_weights", "--format", "html", "-o", path, "--force")
    browser.open(path.as_uri() + "#scaled_attn_scores?what-if=no-scaling", "no-scaling")
    equal(browser.text(STEP + " .what-if-note"), "With no-scaling: no scaled_attn_scores here. The line is gone.", "--only")
    output_of("causal", "--tokens", "33", "--format", "html", "-o", path, "--force")
    browser.open(path.as_uri() + "#attn_weights")
    equal(browser.count(".what-if"), 0, "rules where tensors are summarised")


def check_heads(browser, page, folder):
    """What heads share, and each head's own, have the same marks and names; all heads' matrices are in one grid, in one scale."""
    browser.open(page)
    browser.js('dispatchEvent(new Event("beforeprint"))')
    heads = """(id, table) => [...document.querySelectorAll(`article#${id} .result table`)[table].querySelectorAll("thead th")]
      .map((heading) => [heading.title, heading.style.getPropertyValue("--head")])"""
    shared = browser.js(f'({heads})("keys", 0)')
    equal([title for title, _ in shared], ["head 1", "head 2", "head 3"], "heads of the keys' columns")
    equal(len({colour for _, colour in shared}), 3, "colours of heads")
    for head in range(3):
        equal(browser.js(f'({heads})("keys_heads", {head})'), [shared[head]], "the columns of head", head + 1)
    equal(browser.js(f'({heads})("context_vecs", 0)'), shared, "heads joined again")
    equal(browser.js(f'({heads})("output", 0)'), [["", ""]] * 3, "mixed columns are no head's")
    for address, name in (("out_proj_bias[1]", "out_proj_bias[1]"),
                          ("context_heads[0,0,1,0]", "context_heads[0, 0, 1, 0]"), ("context_vecs[0,1,2]", "head 3")):
        browser.open(f"{page}#{address}")
        check(all(browser.texts(f"{STEP} :is(.met, .at)")), address, "an empty cell is marked")
        told = browser.text(STEP + " .derivation h3")
        check(name in told, address, "is named", told)
    browser.open(page + "#attn_weights")
    equal(browser.texts(STEP + " .slices button"), ["head 1", "head 2", "head 3", "▦"], "the buttons of heads")
    browser.key("a")
    shown = browser.js(f"""[...document.querySelectorAll("{STEP} .result table")].filter((one) => one.getClientRects().length)
      .map((one) => [...one.querySelectorAll("td[data-position]")]
        .map((cell) => [cell.textContent, getComputedStyle(cell).backgroundColor]))""")
    output_of("multihead", "--steps", "all", "--save", folder / "heads")
    weights = np.load(folder / "heads" / "attn_weights.npy")
    check(np.allclose([[float(text) for text, _ in one] for one in shown], weights.reshape(len(shown), -1), atol=6e-5),
          "the numbers of heads")
    equal(len(shown), weights.shape[0] * weights.shape[1], "matrices")
    colour = {}
    equal([text for one in shown for text, ground in one if colour.setdefault(text, ground) != ground],
          [], "the same number in two colours")
    browser.hover(cell(weights[0, 0].size + 7))
    check("head 2" in browser.text(STEP + " .derivation h3"), "the head of the cell is named")
    equal(["head 2" in text for text in browser.texts(STEP + " caption.met")], [True], "its caption is marked")
    browser.key("a")
    equal(browser.count(STEP + " .result table"), 1, "one slice again")


def check_projector(browser, page):
    browser.open(page + "#attn_scores")
    size = f"parseFloat(getComputedStyle(document.querySelector(\"{cell(0)}\")).fontSize)"
    extra = "nav, footer, .step.current :is(.why, .notices, .printed, .links, .shapes)"
    plain = browser.js(size)
    check(browser.count(extra) > 2, "more than the picture")
    browser.key("p")
    check(browser.js(size) > 1.2 * plain, "larger type:", plain, browser.js(size))
    equal(browser.count(extra), 0, "nothing but the picture")
    browser.click("button.projector")
    equal(browser.js(size), plain, "the page is back")


def check_words(browser, page, folder):
    """The glossary, opened with g; what introductions tell; titles; a derivation that is cut; and a page without scripts."""
    browser.open(page + "#introduction")
    equal(browser.texts("dialog dt"), re.findall(r"(?m)^- (.*?): ", text_of("help", "glossary")), "terms")
    told = browser.js(f"document.querySelector('{STEP}').innerText")
    for part in ("scores of later tokens become -inf", "Look above the diagonal", "After this you can:", "draw the mask"):
        check(part in told, "the introduction lacks", part)
    is_open = "[document.querySelector('dialog').open, document.querySelector('dialog').scrollTop]"
    for act, wanted in (("g", True), ("ArrowRight", True), ("g", False), ("button.glossary", True), ("Escape", False)):
        (browser.click if "." in act else browser.key)(act)
        equal(browser.js(is_open), [wanted, 0], "the glossary after", act)
        equal(browser.current(), "introduction", "the step below the glossary")
    browser.open(page + "#scaled_attn_scores")
    equal(browser.text(STEP + " h2"), "scaled attention scores", "a title that is words")
    check("scaled_attn_scores = " in browser.text(STEP + " .expression"), "its code beside it")
    equal(browser.js("document.querySelector(document.querySelector('.skip').getAttribute('href')) !== null"), True, "a skip link")
    wide = folder / "wide.html"
    output_of("trainable", "--d-in", "30", "--d-out", "2", "--steps", "all", "--format", "html", "-o", wide)
    browser.size(1024, 640)
    browser.open(wide.as_uri() + "#queries[1,1]")
    rest = f"""(({{scrollHeight, clientHeight, scrollTop}}) => scrollHeight - clientHeight - scrollTop)
      (document.querySelector("{STEP} .derivation"))"""
    check(browser.js(rest) > 10, "a long derivation")
    for _ in range(12):
        browser.js(f"document.querySelector('{STEP} .more:not([hidden])')?.click()")
        browser.wait()
    check(browser.js(rest) < 3, "more leads to the end:", browser.js(rest))
    equal(browser.count(STEP + " .more"), 0, "and is gone there")
    browser.size(1280, 720)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.load("about:blank")
    browser.load(page)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    shown = browser.js("document.body.innerText")
    equal(browser.count(".result"), 0, "maps without scripts")
    check(all(line.strip() in shown for line in text_of("causal", "--steps", "all").splitlines()),
          "without scripts, the printed text is there")


def check_rings(browser, page):
    """Digits of a chosen cell and its neighbours look as they do without rings."""
    near = f"""(() => {{
      const at = document.querySelector("{STEP} .result td.at");
      return [at, at.previousElementSibling, at.parentElement.nextElementSibling.cells[at.cellIndex]].map((one) => {{
        const range = document.createRange();
        range.selectNodeContents(one.firstChild);
        const {{ x, y, width, height }} = range.getBoundingClientRect();
        return {{ x, y: y + height * .18, width, height: height * .64, scale: 1 }};
      }});
    }})()"""
    for address in ("attn_weights[0,1,1]", "context_vecs[0,1,1]", "attn_scores[0,2,3]"):
        browser.open(f"{page}#{address}")
        clips = browser.js(near)
        look = lambda: [browser.call("Page.captureScreenshot", format="png", clip=clip)["data"] for clip in clips]
        ringed = look()
        browser.js(f"document.querySelectorAll('{STEP} td').forEach(({{style}}) => {{ style.boxShadow = style.outline = 'none'; }})")
        browser.wait()
        check(look() == ringed, address, "rings cross digits")


def check_report(browser, folder):
    """The report of verify: hovering a wrong cell derives it, Escape comes back, arrows go through cells."""
    path = folder / "report.html"
    run("verify", "-", "--format", "html", "-o", path, page=text_of("causal").replace("0.5608", "0.5708", 1).encode())
    browser.open(path.as_uri())
    equal(browser.count("#derivation"), 0, "nothing is derived before somebody asks")
    browser.hover(".wrong.cell")
    equal(browser.count("#derivation"), 1, "hovering shows the derivation")
    equal(browser.text("#derivation").splitlines()[0].split(", exactly")[0], "here 0.5708, right 0.5608", "the wrong cell's words")
    browser.js("document.querySelector('#derivation pre').focus()")
    browser.key("Escape")
    equal((browser.count("#derivation"), browser.js("document.activeElement.matches('.tensor:has(.wrong)')")), (0, True), "Escape")
    browser.js("document.querySelector('.tensor').focus()")
    cells = browser.texts(".tensor .cell")
    for name, number in (("ArrowRight", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        browser.key(name)
        equal(browser.text(".shown"), cells[number], name, number)


def main():
    with tempfile.TemporaryDirectory() as name, chromium.Chromium() as browser:
        folder = pathlib.Path(name)
        browser.size(1280, 720)
        pages = {chapter: (folder / f"{chapter}.html").as_uri() for chapter in ("causal", "multihead")}
        for chapter, uri in pages.items():
            output_of(chapter, "--steps", "all", "--format", "html", "-o", uri.removeprefix("file://"))
        for look in (check_pointer, check_keyboard, check_addresses, check_projector, check_rings):
            look(browser, pages["causal"])
            equal(browser.errors, [], look.__name__, "console")
        check_what_if(browser, pages["causal"], folder)
        check_words(browser, pages["causal"], folder)
        check_heads(browser, pages["multihead"], folder)
        check_report(browser, folder)
        equal(browser.errors, [], "console")
    return chromium.verdict()


if __name__ == "__main__":
    sys.exit(main())
