"""--predict on a pseudo-terminal and through a pipe: predict.py PROGRAM."""
import unittest

import harness
from harness import BINARY, Terminal, run, text_of

LESSON = ["simplified", "--predict", "1", "--only", "attn_weights_2,context_vec_2"]


def on_a_terminal(answers):
    """Everything that the terminal shows when somebody types these lines and then ends the input."""
    terminal = Terminal([BINARY, *LESSON])
    terminal.type("".join(answer + "\n" for answer in answers).encode() + b"\x04")
    return terminal.end(), terminal.text()


def through_a_pipe(answers):
    return text_of(*LESSON, page="".join(answer + "\n" for answer in answers).encode())


class Predict(unittest.TestCase):
    def asked(self):
        """The two cells that are asked for, and what PyTorch prints there (golden/blog/simplified.txt)."""
        text = through_a_pipe([])
        self.assertIn("attn_weights_2[1] = ", text)
        return ["0.2379", "0.4419"]

    def test_right_answers(self):
        right = self.asked()
        self.assertIn("score: 2 of 2 right", through_a_pipe(right))
        code, shown = on_a_terminal(right)
        self.assertEqual(code, 0)
        self.assertIn("score: 2 of 2 right", shown)

    def test_wrong_answers_are_derived(self):
        for text in (through_a_pipe(["0.3", "7"]), on_a_terminal(["0.3", "7"])[1]):
            self.assertIn("no, it is 0.2379", text)
            self.assertIn("exp(attn_scores_2[0] - max)", text)
            self.assertIn("score: 0 of 2 right", text)

    def test_nonsense_is_asked_again_on_a_terminal(self):
        code, shown = on_a_terminal(["nonsense", "0.2379", "0.4419"])
        self.assertEqual(code, 0)
        self.assertIn("score: 2 of 2 right", shown)
        self.assertIn("score: 1 of 2 right", through_a_pipe(["nonsense", "0.4419"]))

    def test_the_end_of_the_input_ends_with_the_score(self):
        code, shown = on_a_terminal(["0.2379"])
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"score: 1 of \d right")

    def test_refused(self):
        for extra in (["--predict", "0"], ["--predict", "x"], ["--predict", "1", "--step"],
                      ["--predict", "1", "--format", "json"], ["--predict", "1", "--save", "d"]):
            done = run("causal", *extra, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), extra)


if __name__ == "__main__":
    harness.main()
