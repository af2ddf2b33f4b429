#!/usr/bin/env python3
"""Milliseconds until the live page shows its first picture, and another seed of each lesson of each article: medians and least.

    /usr/bin/python3 tests/bench/live.py build/release/attn-walkthrough [chromium|firefox]

A change is seen from the address to the page that is laid out. Without a browser's name, in both. No test: nothing passes or
fails.
"""
import pathlib
import statistics
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "page")]

from chromium import Chromium
from firefox import Firefox
from harness import output_of
from live import SETTLED, address_of, each_lesson, go

PICTURES = 5
CHANGES = 9


def row(what, times):
    print(f"{what:24} {statistics.median(times):6.0f} {min(times):6.0f}", flush=True)


def time_page(browser, page):
    pictures = []
    for _ in range(PICTURES):
        browser.open(page.as_uri())
        browser.js(SETTLED)
        pictures.append(browser.js("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    row("first picture", pictures)
    for chapter, settings in each_lesson():
        row(f"{settings['article']} {chapter}",
            [go(browser, address_of(chapter, {**settings, "seed": str(seed)})) for seed in range(CHANGES)])


kinds = {"chromium": Chromium, "firefox": Firefox}
for name in sys.argv[2:] or kinds:
    with tempfile.TemporaryDirectory() as folder, kinds[name]() as browser:
        page = pathlib.Path(folder, "page.html")
        output_of("causal", "--live", "-o", page)
        browser.size(1280, 800)
        print(f"{name:24} median  least")
        time_page(browser, page)
