"""--save FILE.npz and FILE.safetensors: what numpy and the rules of the format read is what the folder holds.

    PYTHONPATH=tests /usr/bin/python3 tests/cli/save.py PATH_TO_BINARY
"""
import itertools
import json
import math
import os
import struct
import subprocess
import zipfile

import numpy as np

import files
import harness
from harness import EVERY, sample

TYPES = {"F32": np.dtype("<f4"), "I64": np.dtype("<i8"), "BOOL": np.dtype("bool")}
FORMS = ("npz", "safetensors")


def chapters():
    """Every chapter of every article."""
    listed = json.loads(harness.output_of("list", "--format", "json"))
    return [(entry["chapter"], entry["article"]) for entry in listed["chapters"]]


def read_safetensors(data):
    """Reads the metadata, and the arrays in the header's order, by the rules of the format."""
    length, = struct.unpack("<Q", data[:8])
    assert length <= 100_000_000 and data[8:9] == b"{"

    def once(pairs):
        assert len({key for key, _ in pairs}) == len(pairs), "a key stands twice"
        return dict(pairs)

    header = json.loads(data[8:8 + length].decode("utf-8"), object_pairs_hook=once)
    metadata = header.pop("__metadata__")
    assert all(isinstance(key, str) and isinstance(value, str) for key, value in metadata.items())
    numbers = data[8 + length:]
    arrays, spans = {}, []
    for name, entry in header.items():
        assert set(entry) == {"dtype", "shape", "data_offsets"}
        begin, end = entry["data_offsets"]
        dtype = TYPES[entry["dtype"]]
        assert end - begin == math.prod(entry["shape"]) * dtype.itemsize
        assert (8 + length + begin) % dtype.itemsize == 0, "not aligned"
        arrays[name] = np.frombuffer(numbers[begin:end], dtype).reshape(entry["shape"])
        spans.append((begin, end))
    spans.sort()
    assert [begin for begin, _ in spans] == [0] + [end for _, end in spans[:-1]], "a gap, or an overlap"
    assert spans[-1][1] == len(numbers)
    assert length % 8 == 0
    return metadata, arrays


class Save(files.Case):
    def saved(self, *arguments):
        """The folder's arrays in order, the .npz file's, and the .safetensors file's with its metadata."""
        for target in ("steps", "steps.npz", "steps.safetensors"):
            self.succeeds(*arguments, "--save", target, "--force")
        manifest = json.loads(self.read("steps", "manifest.json"))
        steps = [step for chapter in (manifest if isinstance(manifest, list) else [manifest]) for step in chapter["steps"]]
        folder = {step["file"].removesuffix(".npy"): np.load(self.path("steps", step["file"])) for step in steps}
        with np.load(self.path("steps.npz"), allow_pickle=False) as npz:
            zipped = {name: npz[name] for name in npz.files}
        metadata, safe = read_safetensors(self.read("steps.safetensors"))
        return manifest, folder, zipped, safe, metadata

    def check_same(self, one, other):
        self.assertEqual(list(one), list(other))
        for name, array in one.items():
            self.assertEqual((array.shape, array.dtype), (other[name].shape, other[name].dtype), name)
            self.assertEqual(array.tobytes(), other[name].tobytes(), name)

    def test_every_chapter(self):
        found = chapters()
        self.assertGreater(len(found), 20)
        dtypes = set()
        for chapter, article in found:
            with self.subTest(chapter=chapter, article=article):
                _, folder, zipped, safe, _ = self.saved(chapter, "--article", article)
                self.check_same(folder, zipped)
                self.check_same(folder, safe)
                dtypes |= {array.dtype.name for array in safe.values()}
        self.assertLessEqual({"float32", "bool"}, dtypes)

    def test_all_chapters_at_once(self):
        manifest, folder, zipped, safe, metadata = self.saved("all")
        self.assertIn("causal/keys", zipped)
        self.check_same(folder, zipped)
        self.check_same(folder, safe)
        self.assertEqual(metadata["chapter"], ",".join(entry["chapter"] for entry in manifest))

    def test_odd_sizes_are_aligned(self):
        """A mask of 25 or 75 bools before other numbers."""
        for arguments in (["causal", "--tokens", "5", "--batch", "3"], ["multihead", "--fixture"], ["causal", "--tokens", "1"]):
            _, folder, zipped, safe, _ = self.saved(*arguments)
            self.assertTrue(any(array.dtype == bool for array in safe.values()))
            self.check_same(folder, zipped)
            self.check_same(folder, safe)

    def test_the_archive(self):
        """The members are the folder's files, stored, with a fixed date."""
        self.saved("multihead", "--num-heads", "3")
        with zipfile.ZipFile(self.path("steps.npz")) as archive:
            self.assertIsNone(archive.testzip())
            for entry in archive.infolist():
                self.assertEqual((entry.compress_type, entry.date_time), (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0)))
                self.assertEqual(archive.read(entry), self.read("steps", entry.filename))
            self.assertEqual(len(archive.infolist()) + 1, len(self.contents("steps")))

    def test_the_metadata(self):
        manifest, _, _, safe, metadata = self.saved("causal", "--seed", "-5", "--dropout", "0.25", "--sentence", "Life is “short”")
        expected = {"tool": "attn-walkthrough", "chapter": "causal", "article": "blog", "seed": "-5", "dropout": "0.25",
                    "sentence": "Life is “short”", "version": manifest["version"]}
        self.assertEqual({key: metadata.get(key) for key in expected}, expected)
        told = json.loads(metadata["manifest"])
        self.assertEqual([step["tensor"] for step in told["steps"]], list(safe))
        for step in told["steps"] + manifest["steps"]:
            step.pop("tensor", None)
            step.pop("file", None)
        self.assertEqual(told, manifest)

    def test_a_long_manifest_is_left_out(self):
        self.succeeds("multihead", "--article", "livebook", "--num-heads", "400", "--d-out", "400", "--only", "context_vecs",
                      "--save", "s.safetensors")
        metadata, arrays = read_safetensors(self.read("s.safetensors"))
        self.assertGreater(len(arrays), 4000)
        self.assertNotIn("manifest", metadata)
        self.assertEqual(metadata["tool"], "attn-walkthrough")

    def test_the_same_bytes_each_time(self):
        for form in FORMS:
            self.succeeds("multihead", "--save", f"one.{form}")
            self.succeeds("multihead", "--save", f"other.{form}")
            self.assertEqual(self.read(f"one.{form}"), self.read(f"other.{form}"))

    def test_the_name_tells_the_format(self):
        self.succeeds("causal", "--save", "A.NPZ")
        self.succeeds("causal", "--save", "B.SafeTensors")
        self.assertTrue(self.read("A.NPZ").startswith(b"PK\x03\x04"))
        read_safetensors(self.read("B.SafeTensors"))
        for name in (".npz", "npz", "steps.npz.old", "folder.npz/"):
            self.succeeds("causal", "--save", name)
            self.check_whole(name)

    def test_verify_reads_it(self):
        for (chapter, article), form in sample(itertools.product(chapters(), FORMS)):
            with self.subTest(chapter=chapter, article=article, form=form):
                lesson = [chapter, "--article", article, "--seed", "7"]
                self.succeeds(*lesson, "--save", f"s.{form}", "--force")
                verified = ["verify", f"s.{form}", "--chapter", *lesson]
                text = self.succeeds(*verified).decode()
                self.assertRegex(text, r"\n(\d+) of \1 tensors checked and right\n$")
                self.succeeds(chapter, "--article", article, "--seed", "8", "--save", f"s.{form}", "--force")
                other = self.done(*verified)
                self.assertIn(other.returncode, (0, 1))  # a chapter may draw nothing
                drawn = self.succeeds(*lesson) != self.succeeds(chapter, "--article", article, "--seed", "8")
                self.assertTrue(other.returncode == 1 or not drawn)
                tells_little = (chapter, article) == ("dropout", "livebook")  # only masks of 36 cells are drawn
                if drawn and not tells_little:
                    self.assertRegex(other.stdout.decode(), r"another seed; with it, (\d+) of \1 tensors checked and right\n")

    def test_inputs_and_weights_read_it(self):
        """Options in the manifest give the saved numbers again; given inputs have no sentence."""
        checked = 0
        for chapter, article in sample(chapters()):
            lesson = [chapter, "--article", article, "--no-grad"]
            first = self.succeeds(*lesson)
            for form in FORMS:
                saved = f"s.{form}"
                self.succeeds(*lesson[:3], "--save", saved, "--force")
                for options in (["--inputs", f"{saved}:inputs"], ["--weights", saved],
                                ["--inputs", f"{saved}:inputs", "--weights", saved]):
                    with self.subTest(lesson=lesson, options=options):
                        if "--weights" in options and chapter in ("simplified", "average"):
                            self.refused(*lesson, *options, says=(f"--weights does not apply to {chapter}",))
                            continue
                        again = self.succeeds(*lesson, *options)
                        self.assertTrue(first.endswith(again) and again.count(b"tensor(") > 3, again)
                        checked += 1
        self.assertGreater(checked, 90 if EVERY == 1 else 0)


class SavedFile(files.Case):
    def test_a_file_that_exists(self):
        for name in ("steps.npz", "steps.safetensors"):
            self.write(name, b"mine")
            for target in (name, f"./{name}", self.path(name)):
                self.refused("causal", "--save", target, says=("--save", f"'{target}' already exists", "--force"))
            self.assertEqual(self.read(name), b"mine")
            os.chmod(self.path(name), 0o640)
            self.succeeds("causal", "--save", name, "--force")
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, 0o640)
            self.succeeds("causal", "--save", f"new.{name}")
            self.assertEqual(self.read(name), self.read(f"new.{name}"))
        self.assertEqual(len(self.there()), 4)

    def test_a_folder_is_in_the_way(self):
        os.mkdir(self.path("steps.npz"))
        for force in ([], ["--force"]):
            self.refused("causal", "--save", "steps.npz", *force, says=("Is a directory",))
        self.assertEqual((self.there(), os.listdir(self.path("steps.npz"))), (["steps.npz"], []))

    def test_the_text_goes_elsewhere(self):
        os.mkfifo(self.path("pipe.npz"))
        os.symlink("/dev/stdout", self.path("stdout.npz"))
        there = self.there()
        for file, target in (("steps.npz", "steps.npz"), ("steps.npz", "./steps.npz"), ("steps.npz/text", "steps.npz"),
                             ("pipe.npz", "pipe.npz"), ("-", "stdout.npz"), ("/dev/stdout", "stdout.npz")):
            self.refused("causal", "-o", file, "--save", target, "--force", says=("--output", "--save"))
            self.assertEqual(self.there(), there)
        self.succeeds("causal", "--save", "steps.npz")
        self.refused("causal", "-o", "steps.npz", "--save", "steps.npz", "--force", says=("--output", "--save"))
        self.assertEqual(self.succeeds("causal", "-o", "text", "--save", "stdout.npz"), self.read("steps.npz"))

    def test_links(self):
        os.mkdir(self.path("below"))
        os.symlink("below/file", self.path("link.npz"))
        self.succeeds("causal", "--save", "link.npz")
        self.refused("causal", "--save", "link.npz", says=("exists",))
        self.succeeds("dropout", "--save", "link.npz", "--force")
        self.assertTrue(os.path.islink(self.path("link.npz")))
        self.assertEqual(os.listdir(self.path("below")), ["file"])
        with np.load(self.path("below", "file")) as arrays:
            self.assertIn("causal/dropout_mask", arrays.files)

    def test_pipes_and_devices(self):
        for form in FORMS:
            text = self.succeeds("multihead", "--save", f"steps.{form}")
            os.mkfifo(self.path(f"pipe.{form}"))
            with subprocess.Popen(["cat", self.path(f"pipe.{form}")], stdout=subprocess.PIPE) as reader:
                self.assertEqual(self.succeeds("multihead", "--save", f"pipe.{form}"), text)
                self.assertEqual(reader.stdout.read(), self.read(f"steps.{form}"))
            with subprocess.Popen(["head", "-c", "1", self.path(f"pipe.{form}")], stdout=subprocess.DEVNULL):
                self.assertTrue(self.succeeds("causal", "--tokens", "300", "--save", f"pipe.{form}").startswith(b"keys"))
            os.symlink("/dev/full", self.path(f"full.{form}"))
            self.refused("causal", "--save", f"full.{form}", "-o", "text", says=("--save", "No space left"))
            self.assertNotIn("text", self.there())

    def test_what_is_longer_than_a_write(self):
        self.succeeds("causal", "--tokens", "700", "--save", "steps.npz")
        self.succeeds("causal", "--tokens", "700", "--save", "steps")
        with zipfile.ZipFile(self.path("steps.npz")) as archive:
            self.assertIsNone(archive.testzip())
            for name in archive.namelist():
                with open(self.path("steps", name), "rb") as file:
                    self.assertEqual(archive.read(name), file.read(), name)

    def test_all_or_nothing(self):
        for form in FORMS:
            old = self.succeeds("dropout", "--save", f"steps.{form}") and self.read(f"steps.{form}")
            with open("/dev/full", "wb") as full:
                self.refused("causal", "--save", f"steps.{form}", "--force", stdout=full)
                self.refused("causal", "--save", f"there/below/steps.{form}", stdout=full)
            self.refused("causal", "--save", f"there/below/{'x' * 256}.{form}", says=("File name too long",))
            self.refused("causal", "-o", "no/such/text", "--save", f"new.{form}")
            self.assertEqual((self.there(), self.read(f"steps.{form}")), ([f"steps.{form}"], old))
            self.succeeds("causal", "--save", f"there/below/steps.{form}")
            self.assertEqual(os.listdir(self.path("there/below")), [f"steps.{form}"])
            subprocess.run(["rm", "-rf", f"steps.{form}", "there"], cwd=self.folder, check=True)

    def test_beside_other_forms(self):
        for arguments in (["--emit", "pytorch"], ["--what-if", "no-mask"], ["--format", "json"], ["--cell", "keys[0,0,0]"]):
            for target in ("steps", "steps.npz"):
                self.succeeds("causal", *arguments, "--save", target)
            with np.load(self.path("steps.npz")) as arrays:
                for name in arrays.files:
                    self.assertEqual(arrays[name].tobytes(), np.load(self.path("steps", name + ".npy")).tobytes())
            subprocess.run(["rm", "-rf", "steps", "steps.npz"], cwd=self.folder, check=True)


if __name__ == "__main__":
    harness.main()
