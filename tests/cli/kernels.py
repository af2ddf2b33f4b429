"""The same digits on every machine: OpenBLAS's sets of kernels, our own, and any number of threads."""
import hashlib
import json
import os
import shutil
import subprocess
import unittest

import harness
from harness import BINARY, run

HANG_LIMIT = 120  # seconds
SETTINGS = ("OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
# More than 262,144 multiplications, from where on OpenBLAS splits a product among threads; and more than one block of
# its kernels along the axis that is summed.
LARGE = ["trainable", "--tokens", "90", "--d-in", "700", "--d-out", "80", "--precision", "12",
         "--only", "queries,attn_scores,context_vecs", "--threshold", "1000000"]


def flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((set(line.split()) for line in file if line.startswith("flags")), set())


HAS = {"skylakex": {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"} <= flags(),
       "haswell": {"avx2", "fma"} <= flags()}
RUNNABLE = [name for name, has in HAS.items() if has]
CLEAN = {name: value for name, value in os.environ.items() if name not in SETTINGS}


def run_with(*arguments, **environment):
    """Runs the program without other OpenBLAS variables in the environment."""
    return run(*arguments, text=True, timeout=HANG_LIMIT, env={**CLEAN, **environment})


class Kernels(unittest.TestCase):
    def digest(self, *arguments, notes="", **environment):
        done = run_with(*arguments, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, notes), (arguments, environment))
        return hashlib.md5(done.stdout.encode()).hexdigest()

    def test_any_number_of_threads(self):
        for arguments in (LARGE, ["multihead", *LARGE[1:], "--num-heads", "2", "--batch", "3"]):
            for blas in RUNNABLE:
                arguments = [*arguments, "--blas", blas]
                expected = self.digest(*arguments)
                for name in SETTINGS[1:]:
                    for number in ("1", "2", "7"):
                        self.assertEqual(self.digest(*arguments, **{name: number}), expected, (blas, name, number))

    @unittest.skipUnless(shutil.which("taskset"), "taskset is not here")
    def test_any_number_of_cores(self):
        alone = subprocess.run(["taskset", "-c", str(min(os.sched_getaffinity(0))), BINARY, *LARGE], capture_output=True,
                               timeout=HANG_LIMIT, check=True, env=CLEAN)
        self.assertEqual(hashlib.md5(alone.stdout).hexdigest(), self.digest(*LARGE))

    def test_portable_is_haswell(self):
        """In large products too; golden.portable compares the lessons."""
        for arguments in (LARGE, ["multihead", *LARGE[1:], "--num-heads", "2", "--batch", "3"]):
            for number in ("1", "7"):
                self.assertEqual(self.digest(*arguments, "--blas", "portable", "--threads", number),
                                 self.digest(*arguments, "--blas", "haswell"))

    def test_the_sets_differ(self):
        self.assertEqual(len({self.digest(*LARGE, "--blas", blas) for blas in RUNNABLE}), len(RUNNABLE))

    def test_avx512_on_any_processor(self):
        """avx512 differs from avx2 only in softmax, in rows of 8 or more numbers."""
        def values(cpu, *arguments):
            steps = json.loads(run_with(*arguments, "--format", "json", "--steps", "all", "--cpu", cpu).stdout)["steps"]
            return {f"{step['section']}/{step['name']}": step["values"] for step in steps if step["kind"] == "tensor"}

        def differing(*arguments):
            avx512, avx2 = values("avx512", *arguments), values("avx2", *arguments)
            self.assertEqual(list(avx512), list(avx2))
            return {name for name in avx2 if avx2[name] != avx512[name]}

        for row in harness.chapters():
            # Of the articles' own rows only those of cross are as long.
            self.assertEqual(differing(*row["command"]),
                             {"/attn_weights", "/context_vecs"} if row["chapter"] == "cross" else set())
        simplified = ["simplified", "--article", "livebook", "--tokens"]
        self.assertEqual(differing(*simplified, "7"), set())
        self.assertEqual(differing(*simplified, "200"), {"softmax/attn_weights"})

    def test_the_environment_is_obeyed(self):
        for core in RUNNABLE:
            expected = self.digest(*LARGE, "--blas", core)
            self.assertEqual(self.digest(*LARGE, OPENBLAS_CORETYPE=core), expected)
            self.assertEqual(self.digest(*LARGE, OPENBLAS_CORETYPE=core.upper(), OPENBLAS_NUM_THREADS="2"), expected)
            self.assertEqual(self.digest(*LARGE, "--blas", "portable", OPENBLAS_CORETYPE=core),
                             self.digest(*LARGE, "--blas", "portable"))
        if HAS["haswell"]:
            self.assertEqual(self.digest(*LARGE, OPENBLAS_CORETYPE="Zen"), self.digest(*LARGE, "--blas", "haswell"))

    def test_one_that_the_processor_lacks_is_said(self):
        """There is no note if the processor has all instructions."""
        nearest = "portable"
        for blas in reversed(HAS):
            nearest = blas if HAS[blas] else nearest
            same_digits = HAS[blas] or blas == "haswell"
            note = "" if same_digits else (f"attn-walkthrough: note: this processor cannot run OpenBLAS's {blas} kernels; "
                                         f"{nearest}'s run instead, so last digits may differ\n")
            self.assertEqual(self.digest(*LARGE, "--blas", blas, notes=note), self.digest(*LARGE, "--blas", nearest))
            self.digest(*LARGE, OPENBLAS_CORETYPE=blas, notes=note)

    def test_cores_that_no_processor_has_all(self):
        """OpenBLAS accepts any name; missing instructions must not run."""
        for core in ("Opteron", "Bulldozer", "Excavator", "Cooperlake", "SapphireRapids", "SkylakeX", "Nehalem", "no core"):
            self.assertEqual(run_with("causal", OPENBLAS_CORETYPE=core).returncode, 0, core)

    def test_the_manifest_says_which_ran(self):
        for blas in [*RUNNABLE, "portable"]:
            done = run_with("causal", "--format", "json", "--blas", blas)
            options = json.loads(done.stdout)["options"]
            self.assertEqual((options["blas"], options["blas_core"].lower()), (blas, blas))

    @unittest.skipUnless(shutil.which("qemu-x86_64"), "qemu-user is not here")
    def test_other_processors(self):
        if harness.has_sanitizer():
            self.skipTest("the sanitizer's shadow memory is more than the emulator can give")
        for processor in ("core2duo", "Nehalem", "SandyBridge"):
            for arguments in (["causal", "--seed", "123"], ["multihead", "--precision", "12"],
                              ["trainable", "--article", "ahead-of-ai", "--precision", "12"]):
                emulated = subprocess.run(["qemu-x86_64", "-cpu", processor, BINARY, *arguments],
                                          capture_output=True, text=True, timeout=HANG_LIMIT, env=CLEAN)
                self.assertEqual(emulated.returncode, 0, emulated.stderr)
                self.assertNotIn("attn-walkthrough", emulated.stderr)  # the emulator may have something to say
                self.assertEqual(emulated.stdout, run_with(*arguments, "--blas", "portable").stdout, arguments)


if __name__ == "__main__":
    harness.main()
