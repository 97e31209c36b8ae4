#!/usr/bin/env python3
"""Reads with Python's torch what pt_writer_test wrote.

    read_back.py FOLDER

FOLDER/manifest.txt: a line a file: name, dtype, requires_grad (0 or 1), sizes (comma separated, "-" for none). The bytes of a tensor
are (7 i + 1) mod 251, of a bool tensor i mod 2. Prints a line a fault; exit 0 without, 1 with faults, 77 when there is no torch.
"""
import ctypes
import pathlib
import sys
import warnings
import zipfile

try:
    import torch
except ImportError:
    print("no torch in this Python")
    sys.exit(77)

warnings.simplefilter("ignore")
folder = pathlib.Path(sys.argv[1])
faults = 0


def check(name, what, found, expected):
    global faults
    if found != expected:
        faults += 1
        print(f"{name}: {what} is {found}, expected {expected}")


def check_zip(path):
    with zipfile.ZipFile(path) as archive:
        check(path.name, "first bad member", archive.testzip(), None)
        for member in archive.infolist():
            with open(path, "rb") as file:
                file.seek(member.header_offset + 26)
                lengths = file.read(4)
            name, extra = int.from_bytes(lengths[:2], "little"), int.from_bytes(lengths[2:], "little")
            start = member.header_offset + 30 + name + extra
            check(path.name, f"{member.filename} % 64", start % 64, 0)
            check(path.name, f"{member.filename} is stored", member.compress_type, zipfile.ZIP_STORED)


def contiguous(sizes):
    strides, stride = [], 1
    for size in reversed(sizes):
        strides.insert(0, stride)
        stride *= max(size, 1)
    return tuple(strides)


def expected_bytes(dtype, count):
    period = bytes([0, 1]) if dtype == "bool" else bytes((7 * i + 1) % 251 for i in range(251))
    return (period * (count // len(period) + 1))[:count]


count = 0
for line in (folder / "manifest.txt").read_text().splitlines():
    name, dtype, requires_grad, sizes = line.split()
    sizes = [] if sizes == "-" else [int(size) for size in sizes.split(",")]
    if not hasattr(torch, dtype):
        print(f"note: this torch has no {dtype}")
        continue
    path = folder / name
    check_zip(path)
    try:
        tensor = torch.load(path, weights_only=True)
    except Exception as error:  # noqa: BLE001: any failure to read is the finding
        check(name, "reading", repr(error), "success")
        continue
    check(name, "dtype", tensor.dtype, getattr(torch, dtype))
    check(name, "shape", tuple(tensor.shape), tuple(sizes))
    check(name, "stride", tensor.stride(), contiguous(sizes))
    check(name, "requires_grad", tensor.requires_grad, requires_grad == "1")
    storage = tensor.untyped_storage()
    data = ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""
    check(name, "bytes", len(data), tensor.numel() * tensor.element_size())
    check(name, "contents", data == expected_bytes(dtype, len(data)), True)
    count += 1

for path in sorted(folder.glob("zip64*.zip")):
    check_zip(path)
    reader = torch._C.PyTorchFileReader(str(path))
    check(path.name, "records", sorted(reader.get_all_records()), ["data/0", "data/1", "version"])
    check(path.name, "data/0", reader.get_record("data/0"), expected_bytes("", 1000))
    check(path.name, "data/1", reader.get_record("data/1"), b"")
print(f"{count} tensors read")
sys.exit(1 if faults else 0)
