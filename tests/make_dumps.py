#!/usr/bin/env python3
"""Writes files of tensors, with numpy and, for safetensors, by the format's description: tests/make_dumps.py FOLDER.

Where nothing else is said, element number i (row-major) is i / 4 - 1.
"""

import json
import pathlib
import struct
import sys

import numpy as np

here = pathlib.Path(sys.argv[1])
here.mkdir(parents=True, exist_ok=True)


def ramp(shape, dtype="float32"):
    return (np.arange(np.prod(shape, dtype=int)) / 4 - 1).astype(dtype).reshape(shape)


def save(name, array, version=None):
    with open(here / name, "wb") as file:
        np.lib.format.write_array(file, array, version)


def safetensors(name, tensors, metadata):
    """tensors: name -> (dtype, shape, bytes)"""
    header, data = {"__metadata__": metadata}, b""
    for key, (dtype, shape, numbers) in tensors.items():
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (here / name).write_bytes(struct.pack("<Q", len(text)) + text + data)


for kind in ["f2", "f4", "f8"]:
    save(f"little_{kind}.npy", ramp((2, 3, 4), "<" + kind))
for kind in ["i1", "i2", "i4", "i8"]:
    save(f"{kind}.npy", np.arange(-3, 3).astype("<" + kind))
    save(f"u{kind[1]}.npy", np.arange(250, 256).astype("<u" + kind[1]))
save("bool.npy", np.tri(3, dtype=bool))
save("fortran.npy", np.asfortranarray(ramp((2, 3, 4))))
save("version_2.npy", ramp((2, 3)), (2, 0))
save("version_3.npy", ramp((2, 3)), (3, 0))
save("scalar.npy", np.float32(0.25))
save("none.npy", np.zeros((0, 3), "float32"))
# The least, the greatest and the smallest numbers of float16, and what is none.
save("special.npy", np.array([-65504, 65504, 2**-24, 2**-14, np.inf, -np.inf, np.nan, -0.0], "float16"))

save("refused_objects.npy", np.array([None, 1], dtype=object))
save("refused_records.npy", np.zeros(2, [("x", "f4"), ("y", "i4")]))
save("refused_complex.npy", np.zeros(2, "complex64"))
save("refused_strings.npy", np.array(["keys"]))
save("refused_bytes.npy", np.array([b"keys"]))
save("refused_bfloat16.npy", np.zeros(2, "V2"))
save("refused_big_endian.npy", ramp((2, 3), ">f4"))
save("refused_dates.npy", np.zeros(2, "M8[s]"))

arrays = {"attn_scores": ramp((2, 3)), "head_1/keys": ramp((3, 2), "float64"), "mask": np.tri(2, dtype=bool)}
np.savez(here / "stored.npz", **arrays)
np.savez_compressed(here / "deflated.npz", **arrays)

bfloat16 = (ramp((2, 3)).view("u4") >> 16).astype("<u2")
safetensors("all.safetensors", {
    "attn_scores": ("F32", [2, 3], ramp((2, 3)).tobytes()),
    "head_1.keys": ("BF16", [2, 3], bfloat16.tobytes()),
    "values": ("F16", [2, 3], ramp((2, 3), "float16").tobytes()),
    "queries": ("F64", [2, 3], ramp((2, 3), "float64").tobytes()),
    "tokens": ("I64", [3], np.arange(-1, 2, dtype="<i8").tobytes()),
    "pairs": ("U16", [2], np.array([1, 65535], "<u2").tobytes()),
    "mask": ("BOOL", [2, 2], np.tri(2, dtype=bool).tobytes()),
    "none": ("F32", [0, 3], b""),
    "scale": ("F32", [], np.float32(0.25).tobytes()),
}, {"format": "pt"})

matrix = ramp((3, 4), "float64")
np.savetxt(here / "savetxt.csv", matrix)
np.savetxt(here / "commas.csv", matrix, delimiter=", ", header="keys", fmt="%g", newline="\r\n")
np.savetxt(here / "semicolons.csv", matrix, delimiter=";", fmt="%.3e")
np.savetxt(here / "tabs.csv", matrix, delimiter="\t")
np.savetxt(here / "special.csv", np.array([[np.nan, np.inf], [-np.inf, -0.0]]), delimiter=",")
