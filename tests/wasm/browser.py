"""The golden files in a real Chromium, without a network: the WebAssembly in a worker of a page that is one file.

    PYTHONPATH=tests /usr/bin/python3 tests/wasm/browser.py build/wasm/attn-walkthrough.js golden

The worker keeps one instance, which runs every command. Exits with 77, skipped, where there is no Chromium.
"""
import base64
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "page"))

import chromium
import golden
import harness

MOST_BYTES = 2_500_000  # a page that holds it has 3 MB at most, its lesson included

PAGE = """<!doctype html><meta charset="utf-8"><title>attn-walkthrough</title>
<script type="text/plain" id="wasm">%(wasm)s</script>
<script type="text/plain" id="worker">
%(glue)s
const instance = {};
onmessage = async ({data}) => {
  if (data instanceof ArrayBuffer) {
    const write = (name) => (byte) => instance[name].push(byte);
    const preRun = [(module) => module.FS.init(() => null, write("out"), write("errors"))];
    instance.module = await attnWalkthrough({wasmBinary: data, preRun});
    return postMessage("ready");
  }
  Object.assign(instance, {out: [], errors: []});
  const code = instance.module.callMain(data);
  const text = (bytes) => new TextDecoder().decode(new Uint8Array(bytes));
  postMessage({code, out: text(instance.out), errors: text(instance.errors)});
};
</script>
<script>
const source = (id) => document.getElementById(id).textContent;
const worker = new Worker(URL.createObjectURL(new Blob([source("worker")], {type: "text/javascript"})));
const ask = (data) => new Promise((done) => {
  worker.onmessage = ({data}) => done(data);
  worker.postMessage(data);
});
const packed = Uint8Array.from(atob(source("wasm")), (c) => c.charCodeAt(0));
const unpacked = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
const ready = unpacked.then(ask);
</script>
"""


def page_of(script):
    """The page, as it may be opened from a disk."""
    wasm = gzip.compress(script.with_suffix(".wasm").read_bytes(), mtime=0)
    return PAGE % {"wasm": base64.b64encode(wasm).decode(), "glue": script.read_text()}


def main():
    script, golden.GOLDEN = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    page = page_of(script)
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium() as browser:
        path = pathlib.Path(folder, "page.html")
        path.write_text(page)
        browser.open(path.as_uri())
        assert browser.js("ready") == "ready"

        def run(*arguments, **_):
            done = browser.js(f"ask({json.dumps(arguments)})")
            return subprocess.CompletedProcess(arguments, done["code"], done["out"], done["errors"])

        harness.run = run

        class Page(unittest.TestCase):
            def test_size(self):
                self.assertLess(len(page), MOST_BYTES)

            def test_errors(self):
                done = run("causal", "--seeds")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"^attn-walkthrough: error: .*\n$")

            def test_what_needs_a_terminal(self):
                self.assertEqual(run("causal", "--step").returncode, 2)

        tests = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in (golden.Golden, Page))
        passed = unittest.TextTestRunner().run(tests).wasSuccessful()
        errors, elsewhere = browser.errors, [url for url in browser.requests if not url.startswith(("file:", "blob:"))]
        print("errors:", errors, "requests:", elsewhere)
        return 0 if passed and not errors and not elsewhere else 1


if __name__ == "__main__":
    sys.exit(main())
