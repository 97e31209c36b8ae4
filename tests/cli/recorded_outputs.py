#!/usr/bin/env python3
"""Holds msprobe's replayed device outputs against the outputs that the training run recorded.

    recorded_outputs.py MSPROBE DUMP_JSON [--max-ulp N] [--min-identical SHARE] [--json OUT]

Runs `MSPROBE acc_check` on a tensor dump with `save_data: all` and compares every saved device output with the tensor file of
the dump, in Python: shape and dtype must be the same; the distance is counted in units of the last place, each element's own or the tensor's largest element's, whichever
is less (sums that cancel differ by many units of a tiny result on another CPU, though the computation is right).
Dropout draws anew, so it is left out. Exit 0 when all are within --max-ulp and --min-identical of them are bit-identical.
Exit 77: this Python has no torch.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    print("SKIPPED: this Python has no torch")
    sys.exit(77)

INTS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def ordered(t):
    """Floating values as integers whose difference counts the representable numbers between them."""
    i = t.contiguous().view(INTS[t.element_size()]).to(torch.int64)
    low = -(1 << (8 * t.element_size() - 1))
    return torch.where(i < 0, low - i, i)


def distance(a, b):
    """Largest distance in units of the last place; 0 for equal values, nan equals nan."""
    if a.numel() == 0:
        return 0
    if a.is_complex():
        a, b = torch.view_as_real(a), torch.view_as_real(b)
    if not a.is_floating_point():
        return 0 if torch.equal(a, b) else float("inf")
    both_nan = a.isnan() & b.isnan()
    if bool((a.isnan() != b.isnan()).any()):
        return float("inf")
    d = (ordered(a) - ordered(b)).abs()
    own = int(torch.where(both_nan, torch.zeros_like(d), d).max())
    finite = b.double()[b.isfinite() & a.isfinite()]
    if own == 0 or finite.numel() == 0 or bool((a.isinf() != b.isinf()).any()):
        return own
    largest = finite.abs().max()
    unit = torch.finfo(b.dtype).eps * 2.0 ** torch.floor(torch.log2(largest)) if largest > 0 else 0
    if unit == 0:
        return own
    diff = (a.double() - b.double())[b.isfinite() & a.isfinite()].abs().max()
    return min(own, float(diff / unit))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("msprobe")
    p.add_argument("dump")
    p.add_argument("--max-ulp", type=float, default=4)
    p.add_argument("--min-identical", type=float, default=0.9)
    p.add_argument("--json")
    a = p.parse_args()
    root = os.path.join(os.path.dirname(os.path.abspath(a.dump)), "dump_tensor_data")
    with open(a.dump) as f:
        data = json.load(f)["data"]
    with tempfile.TemporaryDirectory() as out:
        config = os.path.join(out, "config.json")
        with open(config, "w") as f:
            json.dump({"save_data": "all", "error_data_path": out}, f)
        run = subprocess.run([a.msprobe, "acc_check", "-api_info", a.dump, "-o", out, "-config", config, "-q"],
                             capture_output=True, text=True)
        if run.returncode:
            print(run.stderr)
            sys.exit(f"msprobe ended with {run.returncode}")
        saved = [d for d in os.listdir(out) if d.startswith("ut_error_data")]
        if len(saved) != 1:
            sys.exit(f"expected one ut_error_data folder in {out}, found {saved}")
        saved = os.path.join(out, saved[0])
        identical, near, far, absent = 0, [], [], []

        def leaves(outputs):
            for o in outputs:
                if isinstance(o, list):
                    yield from leaves(o)
                else:
                    yield o

        for key, entry in data.items():
            if not key.endswith(".forward") or "Module" in key or "dropout" in key:
                continue
            for i, o in enumerate(leaves(entry.get("output") or [])):
                if not isinstance(o, dict) or not o.get("data_name"):
                    continue
                mine = os.path.join(saved, f"{key}.output.device.{i}.pt")
                if not os.path.exists(mine):
                    absent.append(f"{key}.output.{i}")
                    continue
                got = torch.load(mine, weights_only=True)
                want = torch.load(os.path.join(root, o["data_name"]), weights_only=True)
                if got.dtype != want.dtype or got.shape != want.shape:
                    far.append((f"{key}.output.{i}", f"{got.dtype} {tuple(got.shape)} for {want.dtype} {tuple(want.shape)}"))
                    continue
                d = distance(got, want)
                if d == 0:
                    identical += 1
                else:
                    (near if d <= a.max_ulp else far).append((f"{key}.output.{i}", d))
    total = identical + len(near) + len(far)
    print(f"{total} outputs: {identical} identical, {len(near)} within {a.max_ulp:g} ULP, {len(far)} beyond, {len(absent)} not saved")
    for name, d in near + far:
        print(f"  {name}: {d}")
    for name in absent:
        print(f"  {name}: no device output was saved")
    if a.json:
        with open(a.json, "w") as f:
            json.dump({"total": total, "identical": identical, "near": near, "far": far, "absent": absent}, f)
    if total == 0 or far or absent or identical < a.min_identical * total:
        sys.exit(1)


if __name__ == "__main__":
    main()
