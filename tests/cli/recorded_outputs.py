#!/usr/bin/env python3
"""Holds msprobe's replayed device outputs against the outputs that the training run recorded.

    recorded_outputs.py MSPROBE DUMP_JSON [--max-ulp N] [--min-identical SHARE] [--device_type TYPE] [--json OUT]

Runs `MSPROBE acc_check` on a tensor dump with `save_data: all` and compares every saved device output with the tensor file of
the dump, in Python: shape and dtype must be the same; the distance is counted in units of the last place, each element's own and
the tensor's largest element's. The lesser of the two decides (sums that cancel differ by many units of a tiny result on another
CPU, though the computation is right); both are printed. Dropout that draws anew is left out. Exit 0 when all are within --max-ulp and --min-identical of them are bit-identical.
Exit 77: this Python has no torch.
"""
import argparse
import json
import math
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


def distances(a, b):
    """Largest difference in units of each element's own last place, and in units of the last place of b's largest element.

    0 for equal values, nan equals nan; both are inf where no number of units says it (other nans, integers that differ).
    """
    inf = float("inf")
    if a.numel() == 0:
        return 0, 0
    if a.is_complex():
        a, b = torch.view_as_real(a), torch.view_as_real(b)
    if not a.is_floating_point():
        return (0, 0) if torch.equal(a, b) else (inf, inf)
    if bool((a.isnan() != b.isnan()).any()) or bool((a.isinf() != b.isinf()).any()):
        return inf, inf
    steps = (ordered(a) - ordered(b)).abs()
    own = int(torch.where(a.isnan(), torch.zeros_like(steps), steps).max())
    both = a.isfinite() & b.isfinite()
    if own == 0 or not bool(both.any()) or bool((a[~both & ~a.isnan()] != b[~both & ~a.isnan()]).any()):
        return own, own
    largest = b.double()[both].abs().max()
    if largest == 0:
        return own, own
    info = torch.finfo(b.dtype)
    unit = info.eps * 2.0 ** max(float(torch.floor(torch.log2(largest))), math.log2(info.tiny))
    return own, float((a.double() - b.double())[both].abs().max() / unit)


def draws(key, entry):
    """True for a dropout that zeroes at random: its probability is above 0 and it is not told that this is no training."""
    if "dropout" not in key:
        return False
    args, kwargs = entry.get("input_args") or [], entry.get("input_kwargs") or {}

    def given(place, names, default):
        recorded = next((kwargs[n] for n in names if n in kwargs), args[place] if place < len(args) else None)
        return recorded.get("value", default) if isinstance(recorded, dict) else default

    return given(1, ["p"], 0.5) != 0 and given(2, ["training", "train"], True) is not False


def main():
    p = argparse.ArgumentParser()
    p.add_argument("msprobe")
    p.add_argument("dump")
    p.add_argument("--max-ulp", type=float, default=4)
    p.add_argument("--min-identical", type=float, default=0.9)
    p.add_argument("--device_type", help="handed to msprobe")
    p.add_argument("--json")
    a = p.parse_args()
    root = os.path.join(os.path.dirname(os.path.abspath(a.dump)), "dump_tensor_data")
    with open(a.dump) as f:
        data = json.load(f)["data"]
    with tempfile.TemporaryDirectory() as out:
        config = os.path.join(out, "config.json")
        with open(config, "w") as f:
            json.dump({"save_data": "all", "error_data_path": out}, f)
        run = subprocess.run([a.msprobe, "acc_check", "-api_info", a.dump, "-o", out, "-config", config, "-q"]
                             + (["--device_type", a.device_type] if a.device_type else []), capture_output=True, text=True)
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
            if not key.endswith(".forward") or "Module" in key or draws(key, entry):
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
                own, scale = distances(got, want)
                if own == 0:
                    identical += 1
                else:
                    said = f"{own:g} ULP of its own, {scale:.3g} ULP at the tensor's scale"
                    (near if min(own, scale) <= a.max_ulp else far).append((f"{key}.output.{i}", said))
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
