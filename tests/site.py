#!/usr/bin/env python3
"""The site, served on the loopback address: site.py PROGRAM

Every link leads to a page that is there, and to a place on it; every chapter of every article has a page. Exits with 77, skipped,
where the program was built without --live."""

import functools
import html.parser
import http.server
import pathlib
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

from harness import BINARY, chapters, run

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / ".packaging" / "site.cmake"


class Links(html.parser.HTMLParser):
    """A page's links and the places on it that they may lead to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    if run("causal", "--format", "html", "--live").returncode:
        print("skipped: this program was built without --live")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder) / "site"
        subprocess.run(["cmake", f"-DPROGRAM={BINARY}", f"-DFOLDER={site}", "-P", SCRIPT], check=True)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_address[1]}/"
        pages, left, followed = {}, [root + "index.html"], 0
        while left:
            address = left.pop()
            with urllib.request.urlopen(address) as answer:
                pages[address] = Links(answer.read().decode())
            for link in pages[address].links:
                target, place = urllib.parse.urldefrag(urllib.parse.urljoin(address, link))
                assert target.startswith(root), (address, link)
                if target not in pages and target not in left:
                    left.append(target)
        lessons = {one["chapter"] for one in chapters()}
        for address, page in pages.items():
            for link in page.links:
                target, place = urllib.parse.urldefrag(urllib.parse.urljoin(address, link))
                is_lesson = target.endswith("live.html") and place.split("?")[0] in lessons
                assert not place or is_lesson or urllib.parse.unquote(place).split("[")[0] in pages[target].ids, (address, link)
                followed += 1
        files = {path.name for path in site.iterdir()}
        assert files == {address.removeprefix(root) for address in pages}, "files that no link leads to"
        for one in chapters():
            assert f"{one['article']}-{one['chapter']}.html" in files, one
        server.shutdown()
        print(f"{len(pages)} pages, {followed} links")


if __name__ == "__main__":
    main()
