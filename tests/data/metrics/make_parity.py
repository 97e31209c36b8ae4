#!/usr/bin/env python3
"""Writes parity.txt: pairs of tensors with the row that MindStudio msprobe gives them.

    python make_parity.py parity.txt [DUMP_FOLDER...] [--largest N] [--most N] [--longest N]

Needs torch, numpy and mindstudio-probe 26.2.0. DUMP_FOLDER: folders with a dump.json of task tensor; outputs and gradients of their
APIs are taken as they come out of MindStudio's acc_check with the CPU in the place of the device. The other pairs are made here:
dtypes, layouts, special values, and sizes around the steps of numpy's summation.

A line is a case, fields separated by "|": name, golden dtype, device dtype, sizes, golden strides, device strides, golden bytes,
device bytes (hexadecimal, in the order of the memory), the 17 figures as MindStudio writes them, status.
"""
import argparse
import functools
import os
import sys
import tempfile

os.environ["OPENBLAS_CORETYPE"] = "Haswell"  # the order of summation of every CPU with AVX2 and no AVX-512
import torch

PRECISION = 14


def comparator():
    from msprobe.pytorch.api_accuracy_checker.compare.compare import Comparator
    c = Comparator.__new__(Comparator)
    c.registry = c._register_compare_func()
    return c


def cell_text(cell):
    return "{:.{}f}".format(cell, PRECISION) if isinstance(cell, float) else str(cell)


def raw(t):
    """Bytes of the elements in the order of the memory; t is dense."""
    flat = t.detach().as_strided((t.numel(),), (1,))
    return flat.view(torch.uint8).numpy().tobytes().hex() if t.dtype != torch.bool else flat.numpy().tobytes().hex()


def dense(t):
    """What MindStudio compares: a clone, which keeps the layout of a dense tensor."""
    return t.detach().clone()


def line(name, golden, device, row):
    ints = lambda v: ",".join(map(str, v))
    fields = [name, str(golden.dtype)[6:], str(device.dtype)[6:], ints(device.shape), ints(golden.stride()),
              ints(device.stride()), raw(golden), raw(device)]
    return "|".join(fields + [cell_text(c).strip() for c in row[3:20]] + [row[20]])


def from_dump(folder, largest):
    """(name, golden, device) of every tensor that acc_check compares."""
    from msprobe.core.dump.api_dump.api_registry import ApiRegistry
    from msprobe.pytorch.api_accuracy_checker.acc_check import acc_check, acc_check_utils
    from msprobe.pytorch.api_accuracy_checker.compare.compare import Comparator
    acc_check.current_device = acc_check_utils.current_device = "cpu"
    torch.cuda.set_device = lambda device: None
    acc_check_utils.autocast = functools.partial(torch.autocast, "cpu")
    init = ApiRegistry.initialize_hook
    ApiRegistry.initialize_hook = lambda self, build: self.ori_api_attr or init(self, build)
    network = os.path.normpath(folder).split(os.sep)[-3]  # <network>/step0/rank0
    pairs, core = [], Comparator._compare_core

    def record(self, api, golden, device, fp8):
        if isinstance(golden, torch.Tensor) and isinstance(device, torch.Tensor) and golden.numel() <= largest:
            pairs.append((f"{network} {api} {len(pairs)}", dense(golden), dense(device)))
        return core(self, api, golden, device, fp8)

    Comparator._compare_core = record
    try:
        with tempfile.TemporaryDirectory() as out:
            sys.argv = ["acc_check", "-api_info", os.path.join(folder, "dump.json"), "-o", out]
            acc_check._acc_check()
    finally:
        Comparator._compare_core = core
    return pairs


def made():
    g = torch.Generator().manual_seed(20240917)
    pairs = []

    def add(name, golden, device):
        pairs.append((name, golden, device))

    def noisy(shape, golden_dtype, device_dtype, noise, scale=1.0):
        x = torch.randn(shape, generator=g, dtype=torch.float64) * scale
        y = x * (1 + noise * torch.randn(shape, generator=g, dtype=torch.float64))
        return x.to(golden_dtype), y.to(device_dtype)

    raised = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64,
              torch.float64: torch.float64}
    for device, golden in raised.items():
        for n in (2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 137, 255, 256, 257, 1000):
            for noise in (1e-5, 3e-3, 3e-1):
                add(f"{n} elements, noise {noise}", *noisy((n,), golden, device, noise))
        add("small values", *noisy((300,), golden, device, 1e-2, 2.0 ** -10))
        add("large values", *noisy((300,), golden, device, 1e-3, 1000.0))
        add("one element", *noisy((1,), golden, device, 1e-3))
        add("no dimension", *noisy((), golden, device, 1e-3))
        add("golden zero", torch.zeros(20, dtype=golden), noisy((20,), golden, device, 1e-3)[1])
        add("device zero", noisy((20,), golden, device, 1e-3)[0], torch.zeros(20, dtype=device))
        add("both zero", torch.zeros(20, dtype=golden), torch.zeros(20, dtype=device))
        add("below epsilon", torch.full((20,), 1e-17, dtype=golden), torch.zeros(20, dtype=device))
        for special in (float("inf"), -float("inf"), float("nan"), 70000.0, 1.0):
            for other in (float("inf"), -float("inf"), float("nan"), 65504.0, 1.0):
                a, b = torch.ones(4, dtype=golden), torch.ones(4, dtype=device)
                a[1], b[1] = special, other
                add(f"{special} against {other}", a, b)
        x, y = noisy((6, 50), golden, device, 3e-3)
        add("transposed", x.t(), y.t())
        add("golden transposed", x.t().contiguous().t(), y)
        x, y = noisy((2, 3, 8, 9), golden, device, 3e-3)
        add("channels last", x.contiguous(memory_format=torch.channels_last), y.contiguous(memory_format=torch.channels_last))
        x, y = noisy((40, 41), golden, device, 3e-3, 2.0 ** -9)
        add("transposed, small values among", x.t(), y.t())
    for golden, device in ((torch.float64, torch.bfloat16), (torch.float64, torch.float16), (torch.float32, torch.float32)):
        for noise in (1e-5, 3e-3):
            add(f"golden raised otherwise, noise {noise}", *noisy((300,), golden, device, noise))
    add("thousands of elements", *noisy((3000,), torch.float32, torch.bfloat16, 3e-3))
    for dtype in (torch.int64, torch.int32, torch.int8, torch.uint8):
        a = torch.arange(10, dtype=dtype)
        b = a.clone()
        add("equal integers", a, b)
        b = a.clone()
        b[3] += 1
        add("an integer differs", a, b)
    a = torch.tensor([True, False, True])
    add("equal bools", a, a.clone())
    add("a bool differs", a, ~a)
    return pairs


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("dumps", nargs="*")
    p.add_argument("--largest", type=int, default=300, help="elements of a pair from a dump")
    p.add_argument("--longest", type=int, default=9000, help="characters of a line; longer ones are left out")
    p.add_argument("--most", type=int, default=40, help="pairs from each dump, evenly spread")
    a = p.parse_intermixed_args()
    pairs = made()
    for folder in a.dumps:
        found = from_dump(folder, a.largest)
        step = max(1, len(found) // a.most)
        pairs += found[::step][:a.most]
    c = comparator()
    with open(a.out, "w") as f:
        for name, golden, device in pairs:
            golden, device = dense(golden), dense(device)
            status, column, message = c._compare_core("none", golden, device, False)
            text = line(name, golden, device, column.to_column_value(status, message))
            if len(text) <= a.longest:
                f.write(text + "\n")


if __name__ == "__main__":
    main()
