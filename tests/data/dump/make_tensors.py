#!/usr/bin/env python3
"""Write FOLDER/: tensor files of every dtype and shape of saving, and FOLDER.expected.txt, what torch.load and numpy.load say of each.

    make_tensors.py FOLDER        (made with torch 2.13, numpy 2.4; FOLDER is then packed as good.tar.gz)

One line a file: name, dtype, sizes, strides, requires_grad, conjugate bit, negative bit, the elements' bytes in index order.
"""
import io
import os
import sys
import zipfile

import numpy as np
import torch

FOLDER = sys.argv[1].rstrip("/")
LINES = []


class Marked(torch.Tensor):
    pass


def describe(name, t):
    conj, neg = t.is_conj(), t.is_neg()
    plain = t.detach()
    plain = plain.conj() if conj else plain
    plain = plain._neg_view() if neg else plain
    flat = torch.empty(t.numel(), dtype=t.dtype)
    flat.copy_(plain.reshape(-1))
    fields = [name, str(t.dtype)[6:], str(tuple(t.shape)), str(tuple(t.stride())), str(t.requires_grad), str(conj), str(neg)]
    fields = [f.replace(",)", ")") for f in fields]
    LINES.append(" ".join(fields + [bytes(flat.untyped_storage()).hex()]))


def save(name, t, **kwargs):
    path = os.path.join(FOLDER, name)
    torch.save(t, path, **kwargs)
    describe(name, torch.load(path, weights_only=False))


def raw(dtype, count=6):
    """Every byte another one, so that a wrong order or size shows."""
    size = torch.empty(0, dtype=dtype).element_size()
    if dtype is torch.bool:
        return torch.tensor([True, False, False, True, True, False])
    return torch.arange(7, 7 + count * size, dtype=torch.uint8).view(dtype)


def tensors():
    for name in ("bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 bfloat16 float32 float64 complex32 complex64 "
                 "complex128 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu").split():
        save(f"{name}.pt", raw(getattr(torch, name)).reshape(2, 3))
    base = torch.arange(24.0).reshape(2, 3, 4)
    save("scalar.pt", torch.tensor(3.5))
    save("empty.pt", torch.empty(0, 3))
    save("transposed.pt", base.permute(2, 0, 1))
    save("view_with_offset.pt", base[1, :, 1:3])
    save("expanded.pt", torch.tensor([[1.0], [2.0]]).expand(2, 3))
    save("channels_last.pt", torch.arange(16.0).reshape(1, 2, 2, 4).to(memory_format=torch.channels_last))
    save("requires_grad.pt", torch.ones(2, requires_grad=True))
    save("parameter.pt", torch.nn.Parameter(torch.tensor([1.0, 2.0])))
    save("frozen_parameter.pt", torch.nn.Parameter(torch.tensor([1.0]), requires_grad=False))
    marked = torch.nn.Parameter(torch.tensor([4.0]))
    marked.tag = {"layer": 3, "scale": 0.5, "names": ["a", None, True]}
    save("parameter_with_state.pt", marked)
    attribute = torch.tensor([5.0])
    attribute.tag = "x"
    save("tensor_with_attribute.pt", attribute)
    other = torch.tensor([6.0])
    other.other = torch.tensor([1, 2, 3])
    save("tensor_with_tensor.pt", other)
    save("subclass.pt", torch.tensor([7.0, 8.0]).as_subclass(Marked))
    save("conjugate.pt", torch.tensor([1 + 2j, 3 - 4j]).conj())
    save("negative.pt", torch.tensor([1 + 2j, 3 - 4j]).conj().imag)
    for protocol in (3, 4, 5):
        save(f"protocol{protocol}.pt", torch.tensor([1, 2, 3]), pickle_protocol=protocol)
    save("before_1_6.pt", torch.arange(3.0), _use_new_zipfile_serialization=False)
    save("before_1_6_parameter.pt", torch.nn.Parameter(base[1].half()), _use_new_zipfile_serialization=False)
    save("before_1_6_two_storages.pt", other, _use_new_zipfile_serialization=False)
    torch.serialization.set_crc32_options(False)
    save("without_crc.pt", torch.arange(4.0))
    torch.serialization.set_crc32_options(True)


def other_zips():
    """The records of a good file in archives that other writers made: not aligned, no byte order, zip64, a comment."""
    source = zipfile.ZipFile(os.path.join(FOLDER, "float64.pt"))
    for name, comment in (("not_aligned.pt", b""), ("with_comment.pt", b"a comment")):
        path = os.path.join(FOLDER, name)
        with zipfile.ZipFile(path, "w") as z:
            for member in ("data.pkl", "data/0", "version"):
                with z.open("x/" + member, "w", force_zip64=name == "not_aligned.pt") as f:
                    f.write(source.read("float64/" + member))
            z.comment = comment
        describe(name, torch.load(path))


def arrays():
    def save_array(name, a, version=None):
        path = os.path.join(FOLDER, name)
        with open(path, "wb") as f:
            np.lib.format.write_array(f, a, version=version)
        loaded = np.load(path)
        strides = tuple(s // a.itemsize for s in loaded.strides)
        plain = loaded.astype(loaded.dtype.newbyteorder("="))
        fields = [name, loaded.dtype.newbyteorder("=").name, str(loaded.shape), str(strides), "False", "False", "False"]
        LINES.append(" ".join([f.replace(",)", ")") for f in fields] + [np.ascontiguousarray(plain).tobytes().hex()]))

    for code in "b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split():
        size = np.dtype(code).itemsize
        a = np.arange(7, 7 + 6 * size, dtype=np.uint8).view(code) if code != "b1" else np.arange(6) % 3 == 0
        save_array(f"{code}.npy", a.reshape(2, 3))
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    save_array("scalar.npy", np.array(2.5))
    save_array("empty.npy", np.zeros((0, 3), np.int16))
    save_array("fortran.npy", np.asfortranarray(a))
    save_array("version2.npy", a, (2, 0))
    save_array("version3.npy", a, (3, 0))
    save_array("big_endian_f4.npy", a.astype(">f4"))
    save_array("big_endian_c16.npy", np.array([1 + 2j, 3 - 4j]).astype(">c16"))
    save_array("big_endian_fortran.npy", np.asfortranarray(a.astype(">i2")))


def main():
    os.makedirs(FOLDER, exist_ok=True)
    tensors()
    other_zips()
    arrays()
    with open(FOLDER + ".expected.txt", "w") as f:
        f.write("\n".join(LINES) + "\n")


if __name__ == "__main__":
    main()
