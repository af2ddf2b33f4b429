"""What `verify` says of the attention in programs with inputs of their own: each mistake at its line, and no right program
accused (../pages/students.txt, whose output PyTorch printed).

    PYTHONPATH=tests /usr/bin/python3 tests/cli/attention.py build/release/attn-walkthrough
"""
import json
import unittest

import harness
import kept_pages

ACCUSED = ("mistake", "inherited", "differs", "last digit")


def report_of(page):
    done = harness.run("verify", "--format", "json", "-", page=page.encode())
    assert done.returncode in (0, 1), done.stderr
    (report,) = json.loads(done.stdout)
    return done.returncode, report


class Attention(unittest.TestCase):
    def test_each_mistake_is_told_at_its_line(self):
        for student in harness.sparse(kept_pages.students(), 4):
            if student.fault == "right":
                continue
            with self.subTest(student.name):
                code, report = report_of(student.page())
                is_note = student.fault == "no-scaling"
                self.assertEqual({(one["name"], one["is_note"]) for one in report["faults"]}, {(student.fault, is_note)})
                self.assertIn(report["faults"][0]["line"], student.lines_on_page())
                self.assertEqual(code, 0 if is_note else 1)
                self.assertTrue(report["faults"][0]["sentence"] and report["faults"][0]["instead"])

    def test_no_right_program_is_accused(self):
        for student in harness.sparse(kept_pages.students(), 4):
            if student.fault != "right":
                continue
            with self.subTest(student.name):
                code, report = report_of(student.page())
                self.assertEqual([one for one in report["faults"] if not one["is_note"]], [])
                self.assertEqual([one for one in report["findings"] if one["verdict"] in ACCUSED], [])
                self.assertEqual(code, 0)

    def test_a_mistake_is_never_right(self):
        """A mistake's own numbers, and what is computed from them, follow from its program, but they are not right."""
        for student in harness.sparse(kept_pages.students(), 4):
            if student.fault in ("right", "no-scaling"):
                continue
            with self.subTest(student.name):
                _, report = report_of(student.page())
                self.assertLess(report["tensors"]["right"], report["tensors"]["printed"])


if __name__ == "__main__":
    harness.main()
