"""What `verify` says of pages that are changed or made here; of others, cases/pages.txt tells it. Of programs with attention of their
own, whose output PyTorch printed (../pages/students.txt), each mistake is told at its line, and no right one is accused."""
import html
import itertools
import json
import os
import re
import subprocess
import xml.etree.ElementTree as tree

import harness
import kept_pages
from harness import BINARY, HANG_LIMIT, output_of, run, text_of


def report_of(page):
    """The exit code, and the one report of the JSON's list."""
    done = run("verify", "-", "--format", "json", page=page)
    (report,) = json.loads(done.stdout)
    return done.returncode, report


def notebook(source, printed):
    cell = {"cell_type": "code", "source": [source], "metadata": {}, "execution_count": 1,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)}]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def html_of(page):
    """The text of the page in its report, its tensors (class, and for each cell class, number and words), and the report."""
    done = run("verify", "-", "--format", "html", page=page.encode())
    assert done.returncode in (0, 1) and not done.stderr, done
    whole = done.stdout.decode()
    pre = tree.fromstring(re.search(r"<pre tabindex.*?</pre>", whole, re.S)[0].replace("\n", "&#10;"))  # else a blank in attributes

    def shown(element):
        own = "" if element.get("class") == "said" else (element.text or "") + "".join(map(shown, element))
        return own + (element.tail or "")

    def spans(element, kind):
        return [(*one.get("class").split()[1:], one) for one in element.iter("span") if one.get("class").startswith(kind)]

    tensors = [(tint, [(*names, cell.text, cell.get("title")) for *names, cell in spans(tensor, "cell")])
               for tint, tensor in spans(pre, "tensor ")]
    return shown(pre), tensors, whole


def tint_of(finding):
    """Green and blue mean looked at in full."""
    if finding["by"] == "program" and finding["verdict"] == "follows":
        return "program"
    return {"same numbers": "same", "last digit": "last-digit"}.get(finding["verdict"], finding["verdict"])


class Pages(harness.Case):
    def test_the_guides_workflow(self):
        """The last step of the workflow fails if a notebook in the repository has a wrong number."""
        command = re.findall(r"(?m)^ +- run: (git ls-files .*)$", output_of("help", "verify").decode())[-1]
        environment = {**os.environ, "PATH": f"{os.path.dirname(BINARY)}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}  # bash warns of others
        right = output_of("causal").decode()
        for printed, code in ((right, 0), (right.replace("0.3591", "0.3519", 1), 123)):
            self.write("of mine.ipynb", notebook("", printed))
            self.write("README.md", "words\n")
            for call in (["git", "init", "-q"], ["git", "add", "of mine.ipynb", "README.md"]):
                subprocess.run(call, cwd=self.folder, check=True, timeout=HANG_LIMIT)
            done = subprocess.run(["bash", "-e", "-c", command], cwd=self.folder, env=environment, capture_output=True, timeout=HANG_LIMIT)
            self.assertEqual((done.returncode, done.stderr), (code, b""))
            # Readers do not see the lines of a notebook's file: the cell is named.
            at_fault = b"::error file=of mine.ipynb,title=cell 1%2C line 74%3A causal attn_weights [2%2C 6%2C 6]::"
            self.assertEqual(at_fault in done.stdout, code != 0, done.stdout)

    def test_a_what_if_is_a_mistake(self):
        """Unchanged tensors are right, changed ones are the mistake or inherit it: with the marks of --what-if, and without."""
        without_original = lambda page: b"".join(part.partition(b"# changed\n")[2] for part in page.split(b"# original\n")[1:])
        forms = (lambda page: page, lambda page: page.replace(b"*", b""), without_original)
        rules = ("no-scaling", "no-mask", "mask-after-softmax", "same-weights")
        for rule, form in harness.sample(itertools.product(rules, forms)):
            with self.subTest(rule=rule, form=forms.index(form)):
                code, report = report_of(form(output_of("causal", "--what-if", rule)))
                mistakes = {one["mistake"]["name"] for one in report["findings"] if one["verdict"] == "mistake"}
                self.assertEqual((code, mistakes), (1, {rule}))

    def test_the_same_in_each_format(self):
        text = output_of("causal").decode()
        body = html.escape(text).replace(" ", "&nbsp;").replace("-", "&minus;").replace("\n", "<br>")
        pages = {
            "page.html": f"<!doctype html><html><body><p>{body}</p></body></html>",
            "pre.html": f"<html><body><pre><code>{html.escape(text)}</code></pre></body></html>",
            "page.md": f"# Causal\n\n```output\n{text}```\n",
            "page.ipynb": notebook("print(torch.tensor([[0.43, 0.15]]))", text),
            "log.txt": ">>> run()\r\n\x1b[1m" + text.replace("\n", "\x1b[0m\r\n"),
            "squeezed.txt": text.replace(", ", ","), "doubled.txt": text.replace(", ", ",   ")}
        for name, content in pages.items():
            self.write(name, content)
            self.assertIn(b"Right: 8 of 8 (8 as the lesson) and 1 of 1 size. Wrong: none.\n", self.succeeds("verify", name), name)


class Attention(harness.Case):
    ACCUSED = ("mistake", "inherited", "differs", "last digit")

    def test_programs_of_students(self):
        for student in harness.sample(kept_pages.students()):
            with self.subTest(student.name):
                code, report = report_of(student.page().encode())
                if student.fault == "right":
                    self.assertEqual([one for one in report["faults"] if not one["is_note"]], [])
                    self.assertEqual([one for one in report["findings"] if one["verdict"] in self.ACCUSED], [])
                    self.assertEqual(code, 0)
                    continue
                is_note = student.fault == "no-scaling"
                self.assertEqual({(one["name"], one["is_note"]) for one in report["faults"]}, {(student.fault, is_note)})
                self.assertIn(report["faults"][0]["line"], student.lines_on_page())
                self.assertEqual(code, 0 if is_note else 1)
                self.assertTrue(report["faults"][0]["sentence"] and report["faults"][0]["instead"])
                if not is_note:  # its own numbers follow from its program, but they are not right
                    self.assertLess(report["tensors"]["right"], report["tensors"]["printed"])


class Tinted(harness.Case):
    """The report of --format html: its text is the page's, and each tinted cell gives the right number."""

    def test_the_text_is_the_page(self):
        for file in harness.sample(sorted(kept_pages.folder().glob("page-*.txt"))):
            text = file.read_text()
            shown, tensors, _ = html_of(text)
            findings = report_of(text.encode())[1]["findings"]
            self.assertEqual(shown.strip("\n"), text.strip("\n"), file.name)
            self.assertEqual([(tint, len(cells)) for tint, cells in tensors],
                             [(tint_of(one), one["cells"] if one["kind"] == "tensor" else 0) for one in findings], file.name)

    def test_a_wrong_cell_stands_out_and_says_what_is_right(self):
        _, tensors, _ = html_of(text_of("causal").replace("0.5608", "0.5708", 1))
        ((mark, number, words),) = [cell for _, cells in tensors for cell in cells if len(cell) > 2]
        self.assertEqual((mark, number), ("wrong", "0.5708"))
        for part in ("here 0.5708, right 0.5608, exactly 0.560793", "torch.softmax(", "float32 0.560793757, the number in the tensor"):
            self.assertIn(part, words)

    def test_every_number_of_a_lesson_is_derived(self):
        _, tensors, _ = html_of(text_of("multihead", "--steps", "all"))
        cells = [cell for _, cells in tensors for cell in cells]
        self.assertGreater(len(cells), 300)
        for number, words in cells:
            self.assertIn(" = " + (number if "." in number else ""), words.splitlines()[1], words)

    def test_what_follows_says_from_what(self):
        weights = "tensor([[0.1234, 0.8766], [0.5120, 0.4880], [0.3141, 0.6859]])"
        _, (unknown, (tint, cells)), _ = html_of(f"{weights}\n\n{weights}\n")
        self.assertEqual((unknown[0], tint, {words for _, words in cells}), ("unknown", "follows", {"line 1"}))

    def test_nothing_of_a_page_is_markup(self):
        page = 'tensor([1.5, 2.5])\n<script>alert(1)</script> "\' &amp; <b>\x1b[31m\x07 \u202e evil\n{{title}} {{text}} &lt;!--page-->\n'
        shown, _, whole = html_of(page)
        self.assertEqual(whole.count("<script"), 1)
        self.assertFalse(re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", whole))
        self.assertIn("{{title}} {{text}}", shown)


if __name__ == "__main__":
    harness.main()
