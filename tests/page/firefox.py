"""A headless Firefox, spoken to by its Marionette protocol: nothing but Python's own library."""

import json
import os
import socket
import subprocess
import time

from chromium import Page


class Firefox(Page):
    """One browser with one window."""

    def __init__(self):
        super().__init__(("firefox-esr", "firefox"), "firefox-esr")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(os.path.join(self.profile, "user.js"), "w", encoding="utf-8") as preferences:
            preferences.write(f'user_pref("marionette.port", {self.port});\n'
                              'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
                              'user_pref("browser.shell.checkDefaultBrowser", false);\n'
                              'user_pref("app.update.disabledForTesting", true);\n')
        self.process = subprocess.Popen([self.path, "--headless", "--marionette", "--no-remote", "--profile", self.profile],
                                        env={**os.environ, "HOME": self.profile}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), 5)
                break
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.2)
        self.socket.settimeout(120)
        self._receive()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": 60000}}})

    def close(self):
        self.socket.close()

    def _receive(self):
        while b":" not in self.buffer or len(self.buffer.split(b":", 1)[1]) < int(self.buffer.split(b":", 1)[0]):
            data = self.socket.recv(1 << 20)
            if not data:
                raise RuntimeError("Firefox has ended")
            self.buffer += data
        length, rest = self.buffer.split(b":", 1)
        self.buffer = rest[int(length):]
        return json.loads(rest[:int(length)])

    def call(self, command, **parameters):
        self.last += 1
        data = json.dumps([0, self.last, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(data), data))
        _, _, error, result = self._receive()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result

    def open(self, url):
        self.call("WebDriver:Navigate", url="about:blank")
        self.call("WebDriver:Navigate", url=url)

    def wait(self):
        self.js("new Promise(done => setTimeout(done, 5))")

    def js(self, expression):
        """The value of an expression, or what its promise brings."""
        script = f"const done = arguments[0]; Promise.resolve({expression}).then(done, (error) => done({{failed: String(error)}}));"
        value = self.call("WebDriver:ExecuteAsyncScript", script=script, args=[])["value"]
        if isinstance(value, dict) and "failed" in value:
            raise RuntimeError(value["failed"])
        return value
