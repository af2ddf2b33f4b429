"""A headless Chromium, spoken to over a pipe (the DevTools protocol): nothing but Python's own library."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
         "--disable-extensions", "--hide-scrollbars", "--mute-audio", "--remote-debugging-pipe"]

KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PageUp": 33, "PageDown": 34, "End": 35,
        "Home": 36, "Tab": 9, "Escape": 27, "Enter": 13, "a": 65, "g": 71, "p": 80, "w": 87, "x": 88}
TEXTS = {"Enter": "\r"}  # of keys that do more than their events say

failures = []


def check(holds, *what):
    """Notes what does not hold, and prints the first of these."""
    if not holds:
        failures.append(what)
        if len(failures) <= 60:
            print("FAILED:", *what, flush=True)


def equal(got, wanted, *what):
    check(got == wanted, *what, f"\n  is        {got!r}\n  should be {wanted!r}")


def verdict():
    """What a test exits with when all has been looked at."""
    print(f"{len(failures)} failures")
    return 1 if failures else 0


STEP = ".step.current"
# The what-if that is chosen and shown, by the address; its tensors are unpacked meanwhile.
RULE = "document.querySelector('.what-if.on select')?.value"


def cell(position):
    return f"{STEP} .result td[data-position='{position}']"


class Page:
    """A browser, and what tests ask of the page that it shows, by its `js`, and `wait`."""

    def __init__(self, names, package):
        """Finds the browser, and makes a profile for it. A test that finds none ends as skipped."""
        self.path = next(filter(None, map(shutil.which, names)), None)
        if self.path is None:
            print(f"skipped: no {names[0]} here; apt-get install {package}")
            sys.exit(77)
        self.profile = tempfile.mkdtemp(prefix=names[0])
        self.buffer = b""
        self.last = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def until(self, *conditions):
        """Until all of these expressions are true of the page."""
        for condition in conditions:
            deadline = time.monotonic() + 60
            while not self.js(f"Boolean({condition})"):
                if time.monotonic() > deadline:
                    raise TimeoutError(condition)
                self.wait()

    def text(self, selector):
        return self.js(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def texts(self, selector):
        return self.js(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)")

    def count(self, selector):
        """How many of these elements are seen."""
        return self.js(f"[...document.querySelectorAll({json.dumps(selector)})].filter((one) => one.getClientRects().length).length")

    def current(self):
        return self.js(f"document.querySelector('{STEP}').id")

    def address(self):
        return self.js("decodeURIComponent(location.hash)")

    def choose(self, rule):
        """Chooses a what-if."""
        self.js(f"""(() => {{
          const list = document.querySelector(".what-if select");
          list.focus();
          list.value = {json.dumps(rule)};
          list.dispatchEvent(new Event("change", {{bubbles: true}}));
        }})()""")
        self.until(f"({RULE} ?? '') === {json.dumps(rule)}")


class Chromium(Page):
    """One browser with one page. Collects what goes wrong on the page (`errors`) and
    what it asks for (`requests`)."""

    def __init__(self, scrollbars=False):
        super().__init__(("chromium", "chromium-browser"), "chromium")
        flags = [flag for flag in FLAGS if not (scrollbars and flag == "--hide-scrollbars")]
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        command = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", command, self.path, *flags, "--user-data-dir=" + self.profile, "about:blank"],
            pass_fds=[to_browser, from_browser], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        self.loaded = set()
        self.errors = []
        self.requests = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self):
        os.close(self.out)
        os.close(self.into)

    def _receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("Chromium does not answer")
            data = os.read(self.into, 1 << 20)
            if not data:
                raise RuntimeError("Chromium has ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(str([argument.get("value") for argument in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.lifecycleEvent" and params["name"] == "load":
            self.loaded.add(params["loaderId"])

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        deadline = time.monotonic() + 60
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def open(self, url, rule=None):
        """Opens a page anew, and waits until it shows this what-if of its address."""
        self.load("about:blank")
        self.errors.clear()
        self.requests.clear()
        self.load(url)
        self.wait()
        if rule:
            self.until(f"{RULE} === {json.dumps(rule)}")

    def load(self, url):
        """Until the page is there; an address within the same page is there at once."""
        loader = self.call("Page.navigate", url=url).get("loaderId")
        deadline = time.monotonic() + 60
        while loader is not None and loader not in self.loaded:
            self._note(self._receive(deadline))

    def wait(self):
        """Until the page has drawn what was asked for."""
        self.js("new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))))")

    def js(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", expression))
        return answer["result"].get("value")

    def size(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.wait()

    def media(self, media="", **features):
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", media=media, features=listed)
        self.wait()

    def key(self, name, modifiers=0):
        text = {"text": TEXTS[name]} if name in TEXTS else {}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=KEYS[name],
                      modifiers=modifiers, **text)
        self.wait()

    def type(self, text):
        self.call("Input.insertText", text=text)

    def place(self, selector):
        """The middle of an element, scrolled into sight."""
        return self.js(f"""(() => {{
          const element = document.querySelector({json.dumps(selector)});
          element.scrollIntoView({{block: "center"}});
          const box = element.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")

    def hover(self, selector):
        x, y = self.place(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.wait()

    def click(self, selector):
        x, y = self.place(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.wait()

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pdf(self, path, **paper):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.printToPDF", printBackground=False, **paper)["data"]))
