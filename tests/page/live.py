#!/usr/bin/env python3
"""The page that computes its lesson, in a real Chromium or a real Firefox: live.py PROGRAM chromium|firefox

Each lesson of each article, and lessons with other settings, are what the program prints for them; the address is the lesson,
back and forward lead through the lessons; an error stands beside its field; whoever types stays in the field; what is
downloaded are the bytes that the program writes; a page and a dump are checked as `verify` checks them; nothing is asked of a
network. In Firefox: lessons, downloads and checks. Exits with 77, skipped, where there is no browser, or where the program was
built without --live."""

import base64
import html
import io
import itertools
import json
import pathlib
import re
import sys
import tempfile
import time
import urllib.parse

import numpy as np

from chromium import RULE, Chromium, check, equal, verdict
from firefox import Firefox
from harness import chapters, output_of, run, sample, text_of

MOST_BYTES = 3_000_000
LESSONS = [
    ("causal", {"seed": "7"}),
    ("causal", {"sentence": "to be or not to be", "seed": "42"}),
    ("simplified", {"sentence": "a/b? &c=d #e [1]"}),
    ("trainable", {"article": "primer", "d-out": "4"}),
    ("multihead", {"num-heads": "4", "d-out": "8", "dropout": "0.5", "cpu": "default"}),
    ("dropout", {"dropout": "0.25", "dropout-kernel": "mkl"}),
    ("cross", {"seed": "-1", "precision": "6"}),
    ("grouped", {"num-kv-heads": "1"}),
    ("rotary", {"tokens": "5", "pair-distance": "2"}),
    ("cache", {"new-tokens": "1", "qkv-bias": ""}),
    ("online", {"block-size": "2"}),
    ("padding", {"batch": "3"}),
    ("average", {"tokens": "9", "d-in": "2"}),
    ("causal", {"attend-to": "previous", "sentence": "the cat sat on the mat"}),
    ("multihead", {"fixture": ""}),
]


def each_lesson():
    """Each chapter of each article, as it is in the articles."""
    return [(one["chapter"], {"article": one["article"]}) for one in chapters()]


def options_of(settings):
    return [f"--{name}={value}" if value else f"--{name}" for name, value in settings.items()]


def address_of(chapter, settings, step=""):
    query = urllib.parse.urlencode({name: value or "yes" for name, value in settings.items()})
    return f"#{chapter}" + (f"?{query}" if query else "") + (f"/{step}" if step else "")


# Until the page shows what the address asks for, or says what is wrong.
SETTLED = "!document.querySelector('.live').hasAttribute('aria-busy')"
SHOWN = "article.step .printed .out"
WRONG = ".live .wrong"


def settle(browser):
    browser.wait()
    browser.until(SETTLED)


def go(browser, address):
    time.sleep(0.05)  # browsers ignore more than 200 changes in 10 s
    browser.js(f"void (location.hash = {json.dumps(address)})")
    settle(browser)


def printed_by_program(chapter, settings, scratch):
    """The steps' texts on the page that the program itself writes for these settings."""
    page = scratch / "own.html"
    output_of(chapter, *options_of(settings), "--format", "html", "-o", page, "--force")
    return [html.unescape(out) for out in re.findall(r'<span class="out">(.*?)</span></pre>', page.read_text(encoding="utf-8"), flags=re.S)]


def check_lessons(browser, page, scratch):
    browser.open(page.as_uri())
    equal(browser.js("location.hash"), "", "the address of the page as it came")
    check(browser.js("document.querySelector('.step.current') !== null"), "a first picture without computing")
    for chapter, settings in sample(each_lesson()) + sample(LESSONS):
        go(browser, address_of(chapter, settings))
        equal(browser.text(WRONG), "", chapter, settings)
        got, wanted = browser.texts(SHOWN), printed_by_program(chapter, settings, scratch)
        check(got == wanted, "the steps of", chapter, settings, first_difference("\n".join(got), "\n".join(wanted)))
        equal(browser.js("document.querySelector('.live [name=chapter]').value"), chapter, "the chapter in the form")
        for name, value in settings.items():
            field = browser.js(f"(({{type, checked, value}}) => type === 'checkbox' ? checked : value)"
                               f"(document.querySelector('.live [name={name}]'))")
            equal(field, value or True, name, "in the form")


def check_address(browser, page, _):
    browser.open(page.as_uri() + address_of("causal", {"seed": "7"}, "attn_scores[0,1,2]"))
    settle(browser)
    at = lambda: (browser.current(), browser.js("document.activeElement.dataset.position"))
    equal(at(), ("attn_scores", "8"), "the step and the cell of a link")
    go(browser, address_of("causal", {"seed": "8"}, "attn_scores[0,1,2]"))
    equal((at(), browser.address()), (("attn_scores", "8"), "#causal?seed=8/attn_scores[0,1,2]"), "the cell with another seed")
    browser.js("document.querySelector('.next').click()")
    settle(browser)
    equal(browser.address(), "#causal?seed=8/mask", "the address of the next step")
    for wanted, way in (("8", "back"), ("7", "back"), ("8", "forward")):
        before = browser.address()
        browser.js(f"history.{way}()")
        browser.until(f"decodeURIComponent(location.hash) !== {json.dumps(before)}",
                      f"document.querySelector('.live [name=seed]').value === '{wanted}'",
                      f"document.querySelector('.made').textContent.includes('seed {wanted}')")
    browser.js("document.querySelector('nav a[href=\"#keys\"]').click()")
    settle(browser)
    equal(browser.address(), "#causal?seed=8/keys", "a link keeps the lesson")
    for seed in ("8", "9"):
        address = f"#causal?seed={seed}/attn_weights?what-if=no-mask"
        go(browser, address)
        browser.until(f"{RULE} === 'no-mask'")
        equal(browser.address(), address, "the rule of a link")
    browser.open(page.as_uri() + "#attn_weights")
    settle(browser)
    equal((browser.current(), browser.address()), ("attn_weights", "#causal/attn_weights"), "a step without a lesson, and its address")
    for address, wrong in (("#nowhere?seed=1", 'the address names "nowhere", which is neither a chapter nor a step of this one'),
                           ("#causal/keys", ""),
                           ("#causal?colour=red", 'the address names "colour", which is no setting of causal')):
        go(browser, address)
        equal(browser.text(WRONG), wrong, "said of", address)


def check_patience(browser, page, _):
    """A lesson that takes minutes does not delay the next one."""
    browser.open(page.as_uri())
    browser.js("void (location.hash = 'causal?tokens=3000&d-in=3000')")
    browser.until("getComputedStyle(document.querySelector('.live summary'), '::after').visibility === 'visible'")
    go(browser, "#simplified?seed=8")
    check("seed 8" in browser.text(".made"), "the next lesson")
    go(browser, "#causal?tokens=100000")
    check("need" in browser.text(WRONG) and "GiB" in browser.text(WRONG), "more than the memory", browser.text(WRONG))
    go(browser, "#causal?seed=8")
    equal(browser.text(WRONG), "", "a lesson after one that is too large")


def check_typing(browser, page, _):
    """Whoever types in a field stays there, at the same place of the page, though the address has a cell to choose."""
    browser.open(page.as_uri() + "#causal?seed=7/attn_scores[0,1,2]")
    settle(browser)
    browser.js("document.querySelector('.live details').open = true")
    browser.js("""(() => {
      window.entries = 0;
      const push = history.pushState;
      history.pushState = function (...entry) { ++window.entries; push.apply(this, entry); };
    })()""")
    for name, typed, wanted in (("seed", "12", "712"), ("d-out", "45", "45")):
        field = f"document.querySelector('.live [name={name}]')"
        browser.js(f"{field}.focus(); scrollTo(0, {field}.getBoundingClientRect().top + scrollY - 80)")
        top = browser.js("scrollY")
        for letter in typed:
            before = browser.address()
            browser.type(letter)
            browser.until(f"decodeURIComponent(location.hash) !== {json.dumps(before)}", SETTLED)
        equal(browser.js(f"[document.activeElement.name, {field}.value, scrollY]"), [name, wanted, top],
              "where the typing goes, and what is seen")
    equal(browser.address(), "#causal?seed=712&d-out=45/attn_scores[0,1,2]", "the address keeps the cell")
    equal(browser.js("entries"), 2, "new entries of the history: one a field")


def check_keyboard(browser, page, _):
    """The settings without a pointer."""
    browser.open(page.as_uri())
    focused = "(({name, tagName}) => name || tagName.toLowerCase())(document.activeElement)"
    for _ in range(20):
        browser.key("Tab")
        if browser.js("document.activeElement.closest('.live') !== null"):
            break
    chapters = browser.js("[...document.querySelector('.live [name=chapter]').options].map(({value}) => value)")
    browser.key("ArrowDown")
    browser.until(f"location.hash === '#{chapters[chapters.index('causal') + 1]}'", SETTLED)
    order = [browser.js(focused)]
    for _ in range(4):
        browser.key("Tab")
        order.append(browser.js(focused))
    equal(order, ["chapter", "article", "seed", "sentence", "summary"], "the order of the keyboard")
    browser.key("Enter")
    equal(browser.js("document.querySelector('.live details').open"), True, "more settings by a key")
    browser.js("document.querySelector('.live [name=sentence]').focus()")
    for key in ("a", "g", "p", "w", "x", "ArrowRight"):
        browser.key(key)
    equal(browser.js("[document.activeElement.name, document.querySelector('dialog[open], html.projector')]"), ["sentence", None],
          "letters in a field are no commands")


TYPE = """(({name, value}) => {
  const field = document.querySelector(`.live [name="${name}"]`);
  if (field.type === "checkbox") field.checked = value; else field.value = value;
  field.dispatchEvent(new Event("input", {bubbles: true}));
})"""


def fill(browser, name, value):
    before = browser.address()
    browser.js(f"{TYPE}({json.dumps({'name': name, 'value': value})})")
    browser.until(f"decodeURIComponent(location.hash) !== {json.dumps(before)}", SETTLED)


def check_form(browser, page, _):
    browser.open(page.as_uri())
    fill(browser, "seed", "99")
    equal(browser.address(), "#causal?seed=99", "the address says what the form says")
    fill(browser, "sentence", "to be or not")
    fill(browser, "tokens", "5")
    check(browser.text(WRONG).startswith("--tokens cannot be combined with --sentence"), browser.text(WRONG))
    equal(browser.js("document.querySelector('.live [aria-invalid]').name"), "tokens", "the field that is wrong")
    equal(browser.js(f"document.querySelector('{WRONG}').previousElementSibling.className"), "tokens", "where it is said")
    fill(browser, "tokens", "")
    equal((browser.text(WRONG), browser.count(".live [aria-invalid]")), ("", 0), "mended")
    fill(browser, "chapter", "multihead")
    equal(browser.address(), "#multihead?seed=99&sentence=to+be+or+not", "another chapter keeps what it can")
    for name, value in (("chapter", "trainable"), ("article", "primer"), ("chapter", "causal")):
        fill(browser, name, value)
    equal((browser.address(), browser.text(WRONG)), ("#causal?seed=99&sentence=to+be+or+not", ""), "a chapter that the article lacks")


# What a click on a button would have downloaded, as base64.
CAUGHT = """(async () => {
  const made = [];
  const create = URL.createObjectURL;
  const click = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = (blob) => { made.push(blob); return create(blob); };
  HTMLAnchorElement.prototype.click = function () { made.push(this.download); };
  const button = [...document.querySelectorAll(".live button")].find((one) => one.textContent === %s);
  button.click();
  for (let waited = 0; made.length < 2 && waited < 3000; ++waited) await new Promise((done) => setTimeout(done, 10));
  [URL.createObjectURL, HTMLAnchorElement.prototype.click] = [create, click];
  const bytes = new Uint8Array(await made[0].arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return [made[1], btoa(text)];
})()"""


def check_downloads(browser, page, scratch):
    browser.open(page.as_uri() + "#causal?seed=7")
    settle(browser)
    wanted = {"tensors (.npz)": ("causal.npz", ["--save"]), "notebook (.ipynb)": ("causal.ipynb", ["-o"]),
              "PyTorch program (.py)": ("causal.py", ["--emit", "pytorch", "-o"]), "handout (.md)": ("causal.md", ["-o"]),
              "page without settings (.html)": ("causal.html", ["-o"])}
    for button, (name, command) in sample(wanted.items()):
        got, content = browser.js(CAUGHT % json.dumps(button))
        equal(got, name, "the name of", button)
        own = scratch / name
        run("causal", "--seed", "7", *command, own)
        if name.endswith(".npz"):
            check(same_arrays(base64.b64decode(content), own.read_bytes()), "the tensors of", button)
        else:
            texts = (base64.b64decode(content).decode(), own.read_text(encoding="utf-8"))
            difference = first_difference(*map(without_machine, texts))
            check(difference is None, "what is downloaded by", button, difference)


def without_machine(text):
    """A text without the name of the kernels, which differ, and give the same digits."""
    return re.sub(r"portable|haswell|Haswell", "KERNELS", text)


def first_difference(one, other):
    """The first line of two texts that differs; none if they are equal."""
    pairs = itertools.zip_longest(one.splitlines(), other.splitlines())
    return next(((a and a[:200], b and b[:200]) for a, b in pairs if a != b), None)


def same_arrays(one, other):
    with np.load(io.BytesIO(one)) as a, np.load(io.BytesIO(other)) as b:
        return a.files == b.files and all(a[name].tobytes() == b[name].tobytes() for name in a.files)


# The report on files that were dropped or chosen, and what is wrong.
BRING = """(async (how, files) => {
  const transfer = new DataTransfer();
  for (const [name, content] of files) {
    transfer.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name));
  }
  const chooser = document.querySelector(".live [type=file]");
  if (how === "drop") {
    document.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: transfer}));
  } else {
    chooser.files = transfer.files;
    chooser.dispatchEvent(new Event("change"));
  }
  const dialog = document.querySelector("dialog.checked");
  const wrong = () => document.querySelector(".live .wrong").textContent;
  for (let waited = 0; !dialog.open && !wrong() && waited < 6000; ++waited) await new Promise((done) => setTimeout(done, 10));
  dialog.close();
  return [dialog.querySelector("iframe").srcdoc, wrong()];
})"""


def summary_of(report):
    return re.findall(r'<p class="summary">(.*?)</p>', report, flags=re.S)


def bring(browser, how, *files):
    listed = [[path.name, base64.b64encode(path.read_bytes()).decode()] for path in files]
    return browser.js(f"{BRING}({json.dumps(how)}, {json.dumps(listed)})")


def check_checking(browser, page, scratch):
    browser.open(page.as_uri() + "#causal?seed=7")
    settle(browser)
    text = scratch / "page.txt"
    text.write_text(text_of("causal", "--seed", "7").replace("0.2", "0.3", 1), encoding="utf-8")
    own = run("verify", text, "--format", "html").stdout.decode()
    for how in ("drop", "choose"):
        report, wrong = bring(browser, how, text)
        equal(wrong, "", "a page")
        equal(summary_of(report), summary_of(own), "the report on a page,", how)
        check(len(summary_of(report)) == 1, "a report has a summary")
    run("causal", "--seed", "7", "--what-if", "no-scaling", "--save", scratch / "dump.npz")
    report, wrong = bring(browser, "drop", scratch / "dump.npz")
    own = run("verify", scratch / "dump.npz", "--chapter", "causal", "--seed", "7", "--format", "html").stdout.decode()
    equal((summary_of(report), wrong), (summary_of(own), ""), "the report on a dump")
    nothing = scratch / "nothing.npy"
    nothing.write_bytes(b"not a file of numbers")
    _, wrong = bring(browser, "drop", nothing)
    check("nothing.npy" in wrong, "a file that cannot be read", wrong)


LOOKS = {
    "chromium": (Chromium, (check_lessons, check_address, check_patience, check_form, check_typing, check_keyboard,
                            check_downloads, check_checking)),
    "firefox": (Firefox, (check_lessons, check_downloads, check_checking)),
}


def main():
    if run("causal", "--format", "html", "--live").returncode:
        print("skipped: this program was built without --live")
        sys.exit(77)
    kind, looks = LOOKS[sys.argv[2]]
    with tempfile.TemporaryDirectory() as folder, kind() as browser:
        page = pathlib.Path(folder) / "page.html"
        output_of("causal", "--live", "-o", page)
        check(page.stat().st_size <= MOST_BYTES, "the page has", page.stat().st_size, "bytes")
        for look in looks:
            look(browser, page, page.parent)
            for request in getattr(browser, "requests", []):
                check(request.startswith(("file:", "blob:", "data:", "about:")), "asked for", request)
            equal(getattr(browser, "errors", []), [], "errors in", look.__name__)
    sys.exit(verdict())


if __name__ == "__main__":
    main()
