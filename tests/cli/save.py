"""--save: what numpy and the rules of the format read of each form is what the folder and its manifest hold."""
import json
import math
import os
import struct
import subprocess
import zipfile

import numpy as np

import files
import harness
from harness import sample

TYPES = {"F32": np.dtype("<f4"), "I64": np.dtype("<i8"), "BOOL": np.dtype("bool")}
FORMS = ("npz", "safetensors")


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
        for other in (zipped, safe):
            self.assertEqual(list(folder), list(other))
            for name, array in folder.items():
                self.assertEqual((array.shape, array.dtype, array.tobytes()), (other[name].shape, other[name].dtype, other[name].tobytes()), name)
        self.assertEqual(set(self.contents("steps")), {step["file"] for step in steps} | {"manifest.json"})
        return manifest, folder, metadata

    def check_manifest(self, chapter, manifest, folder, text):
        """Steps are told in the order of the text, and made of earlier ones."""
        self.assertEqual((manifest["tool"], manifest["chapter"]), ("attn-walkthrough", chapter))
        earlier, at = set(), 0
        for step in manifest["steps"]:
            self.assertEqual(list(step), ["section", "name", "label", "expression", "inputs", "shape", "dtype", "file"])
            self.assertLessEqual(set(step["inputs"]), earlier)
            earlier |= {step["name"], f"{step['name']}_{step['section']}"}  # if another tensor takes the name
            array = folder[os.path.join(step["section"], step["name"])]
            self.assertEqual((list(array.shape), array.dtype.name), (step["shape"], step["dtype"]))
            found = text.find(step["label"], at)
            self.assertGreaterEqual(found, 0, (chapter, step["name"]))
            at = found + len(step["label"])

    def check_table(self, lesson, name, array):
        """As .csv, by each of the three ways, numpy and the program read every bit of a tensor."""
        self.succeeds(*lesson, "--only", name, "-o", "one.csv", "--force")
        shown = self.succeeds(*lesson, "--only", name)
        self.assertEqual(self.succeeds(*lesson, "--only", name, "--save", "two.csv", "--force", "-o", "-"), shown)
        found = np.loadtxt(self.path("one.csv"), delimiter=",").reshape(array.shape).astype(array.dtype)
        self.assertEqual(found.tobytes(), array.tobytes(), name)
        self.assertEqual(self.read("one.csv"), self.read("two.csv"))
        self.assertEqual(self.read("one.csv"), self.succeeds(*lesson, "--only", name, "--format", "csv"))

    def test_every_chapter(self):
        for number, row in enumerate(sample(harness.chapters())):
            lesson = row["command"]
            with self.subTest(lesson=lesson):
                manifest, folder, _ = self.saved(*lesson)
                self.check_manifest(row["chapter"], manifest, folder, self.succeeds(*lesson, "--steps", "all").decode())
                for name in sample(folder, number, most=7):
                    self.check_table(lesson, name, folder[name])

    def test_all_chapters_at_once(self):
        manifest, folder, metadata = self.saved("all")
        self.assertIn("causal/keys", folder)
        self.assertEqual(metadata["chapter"], ",".join(entry["chapter"] for entry in manifest))
        self.succeeds("all", "--only", "mask", "--save", "some")  # all are saved, whichever are shown
        self.assertEqual(set(self.contents("some")), set(self.contents("steps")))
        self.saved("causal")  # of what was in the folder nothing is left

    def test_odd_sizes_are_aligned(self):
        """A mask of 25 or 75 bools before other numbers."""
        for arguments in (["causal", "--tokens", "5", "--batch", "3"], ["multihead", "--fixture"], ["causal", "--tokens", "1"]):
            self.assertTrue(any(array.dtype == bool for array in self.saved(*arguments)[1].values()))

    def test_the_archive(self):
        """The members are the folder's files, stored, with a fixed date, also when longer than a write."""
        self.saved("causal", "--tokens", "700")
        with zipfile.ZipFile(self.path("steps.npz")) as archive:
            self.assertIsNone(archive.testzip())
            for entry in archive.infolist():
                self.assertEqual((entry.compress_type, entry.date_time), (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0)))
                self.assertEqual(archive.read(entry), self.read("steps", entry.filename))
            self.assertEqual(len(archive.infolist()) + 1, len(self.contents("steps")))

    def test_the_metadata(self):
        manifest, folder, metadata = self.saved("causal", "--seed", "-5", "--dropout", "0.25", "--sentence", "Life is “short”")
        expected = {"tool": "attn-walkthrough", "chapter": "causal", "article": "blog", "seed": "-5", "dropout": "0.25",
                    "sentence": "Life is “short”", "version": manifest["version"]}
        self.assertEqual({key: metadata.get(key) for key in expected}, expected)
        told = json.loads(metadata["manifest"])
        self.assertEqual([step["tensor"] for step in told["steps"]], list(folder))
        for step in told["steps"] + manifest["steps"]:
            step.pop("tensor", None)
            step.pop("file", None)
        self.assertEqual(told, manifest)
        for seed in (-2**63, 2**63, 2**64 - 1):
            self.assertEqual(self.saved("simplified", "--seed", str(seed))[0]["options"]["seed"], seed)

    def test_a_long_manifest_is_left_out(self):
        self.succeeds("multihead", "--article", "livebook", "--num-heads", "400", "--d-out", "400", "--only", "context_vecs",
                      "--save", "s.safetensors")
        metadata, arrays = read_safetensors(self.read("s.safetensors"))
        self.assertGreater(len(arrays), 4000)
        self.assertNotIn("manifest", metadata)
        self.assertEqual(metadata["tool"], "attn-walkthrough")

    def test_beside_other_forms(self):
        for arguments in (["--emit", "pytorch"], ["--what-if", "no-mask"], ["--format", "json"], ["--cell", "keys[0,0,0]"]):
            self.saved("causal", *arguments)


class Targets(files.Case):
    def test_a_file_that_exists(self):
        for name in ("steps.npz", "steps.safetensors"):
            self.write(name, b"mine")
            self.refused("causal", "--save", self.path(name), says=("--save", "already exists", "--force"))
            self.assertEqual(self.read(name), b"mine")
            os.chmod(self.path(name), 0o640)
            self.succeeds("causal", "--save", name, "--force")
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, 0o640)
            self.succeeds("causal", "--save", f"new.{name}")
            self.assertEqual(self.read(name), self.read(f"new.{name}"))

    def test_files_of_others_stay(self):
        """--force replaces a folder of --save, and keeps a folder with other files."""
        self.succeeds("causal", "--save", "steps")
        inside = lambda name: self.path("steps", name)

        for put, name, take in ((lambda path: os.symlink("/etc", path), "link", os.remove),
                                (os.mkfifo, "pipe", os.remove), (lambda path: self.write(path, b"mine"), "notes.txt", os.remove),
                                (lambda path: self.write(path, b"mine"), "keys.npy.txt", os.remove)):
            put(inside(name))
            for chapter in ("causal", "all"):
                self.refused(chapter, "--save", "steps", "--force", says=("--save", name))
                self.assertTrue(os.path.lexists(inside(name)))
            take(inside(name))
        self.succeeds("causal", "--save", "steps", "--force")

    def test_the_text_goes_elsewhere(self):
        os.mkfifo(self.path("pipe.npz"))
        os.symlink("/dev/stdout", self.path("stdout.npz"))
        for file, target in (("pipe.npz", "pipe.npz"), ("-", "stdout.npz"), ("/dev/stdout", "stdout.npz")):
            self.refused("causal", "-o", file, "--save", target, "--force", says=("--output", "--save"))
        self.assertEqual(self.there(), ["pipe.npz", "stdout.npz"])
        self.succeeds("causal", "--save", "steps.npz")
        self.assertEqual(self.succeeds("causal", "-o", "text", "--save", "stdout.npz"), self.read("steps.npz"))

    def test_pipes_and_devices(self):
        for form in FORMS:
            text = self.succeeds("multihead", "--save", f"steps.{form}")
            os.mkfifo(self.path(f"pipe.{form}"))
            with subprocess.Popen(["cat", self.path(f"pipe.{form}")], stdout=subprocess.PIPE) as reader:
                self.assertEqual(self.succeeds("multihead", "--save", f"pipe.{form}"), text)
                self.assertEqual(reader.stdout.read(), self.read(f"steps.{form}"))
            with subprocess.Popen(["head", "-c", "1", self.path(f"pipe.{form}")], stdout=subprocess.DEVNULL):
                self.assertTrue(self.succeeds("causal", "--tokens", "300", "--save", f"pipe.{form}", "-o", "-").startswith(b"keys"))
            os.symlink("/dev/full", self.path(f"full.{form}"))
            self.refused("causal", "--save", f"full.{form}", "-o", "text", says=("--save", "No space left"))
            self.assertNotIn("text", self.there())


if __name__ == "__main__":
    harness.main()
