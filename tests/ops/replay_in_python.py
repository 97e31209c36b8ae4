#!/usr/bin/env python3
"""Calls recorded functions in Python and holds msprobe's saved device outputs against them, bit by bit.

    replay_in_python.py DUMP_JSON KEY... [--keys FILE] [--saved DIR] [--manifest FILE] [--threads N] [--json OUT] [-v]

KEY is `<API>.forward` or `<API>.backward` of a tensor dump. DIR is the ut_error_data folder that `msprobe acc_check` writes with
`save_data: all`. FILE of --manifest tells which function a key really called ({"calls": {KEY: {"called": "Torch.linalg.inv"}}}).
Each output is compared three ways: Python here with msprobe, Python here with the recording, msprobe with the recording. A
difference from the recording that Python shows too comes from the machine, not from msprobe. Equal means equal bits, any nan equal
to any nan, and 0 equal to -0. Exit 0 when msprobe's outputs have Python's bits. Exit 77: this Python has no torch.
"""
import argparse
import collections
import functools
import json
import os
import re
import sys

try:
    import torch
except ImportError:
    print("SKIPPED: this Python has no torch")
    sys.exit(77)

ROOTS = {"Torch": torch, "Tensor": torch.Tensor, "Functional": torch.nn.functional, "VF": torch._VF, "Aten": torch.ops.aten}


def function(name):
    kind, *rest = name.split(".")
    place = ROOTS[kind]
    for i, word in enumerate(rest):
        if kind == "Torch" and i == 0 and len(rest) == 1 and not hasattr(place, word):
            place = torch.linalg
        place = getattr(place, word)
    return place


class Dump:
    def __init__(self, path):
        with open(path) as f:
            self.data = json.load(f)["data"]
        self.root = os.path.join(os.path.dirname(os.path.abspath(path)), "dump_tensor_data")

    def tensor(self, record):
        if not record.get("data_name"):  # nothing is stored of a tensor without elements
            return torch.empty(record["shape"], dtype=getattr(torch, record["dtype"].split(".")[1]))
        return torch.load(os.path.join(self.root, record["data_name"]), weights_only=True)

    def value(self, record, leaves):
        if isinstance(record, list):
            return [self.value(r, leaves) for r in record]
        if not isinstance(record, dict):
            return record
        kind, value = record.get("type"), record.get("value")
        if kind == "torch.Tensor":
            t = self.tensor(record)
            if leaves is not None and record.get("requires_grad"):
                t.requires_grad_()
                leaves.append(t)
            return t
        if kind in ("torch.dtype", "torch.memory_format", "torch.layout"):
            return getattr(torch, (value or record["format"]).split(".")[-1])
        if kind == "torch.device":
            return torch.device("cpu")
        if kind == "torch.Size":
            return torch.Size(value)
        if kind == "slice":
            return slice(*value)
        if kind == "ellipsis":
            return Ellipsis
        return value


def flat(x):
    if isinstance(x, (list, tuple)):
        for y in x:
            yield from flat(y)
    else:
        yield x


def equal(a, b):
    if a is None or b is None:
        return None
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


def call(dump, key, name):
    """The outputs, and the leaves that ask for a gradient."""
    entry, leaves = dump.data[key], []
    args = dump.value(entry["input_args"], leaves)
    kwargs = {k: dump.value(v, leaves) for k, v in entry["input_kwargs"].items()}
    last = name.split(".")[1] if name.startswith("Aten.") else name.split(".")[-1]
    if leaves and re.search(r"[^_]_$|^__i(?!nvert|nt|ndex)\w+__$", last) and isinstance(args[0], torch.Tensor):
        args[0] = args[0].clone()  # a leaf cannot be written in place
    if isinstance(kwargs.get("out"), torch.Tensor):
        kwargs["out"] = kwargs["out"].detach()
    if name == "Tensor.__getitem__" and isinstance(args[1], list):
        with torch.no_grad():  # x[[0, 2]] and x[0, 2] are recorded alike; the output tells them apart
            if list(args[0][tuple(args[1])].shape) == entry["output"][0]["shape"]:
                args[1] = tuple(args[1])
    return list(flat(function(name)(*args, **kwargs))), leaves


def gradients(dump, key, name):
    outputs, leaves = call(dump, key.rsplit(".", 1)[0] + ".forward", name)
    outputs = [o for o in outputs if isinstance(o, torch.Tensor) and o.requires_grad]
    given = [g for g in dump.value(list(flat(dump.data[key]["input"])), None) if isinstance(g, torch.Tensor)]
    if len(given) > len(outputs):
        raise ValueError(f"{len(given)} gradients for {len(outputs)} outputs")
    # fewer gradients than outputs: those that come first
    got = torch.autograd.grad(outputs[:len(given)], leaves, given, allow_unused=True)
    return [g for g in got if g is not None]


@functools.cache
def saved_files(folder):
    """{"<API>.<way>": {output: path}} of the folder's device outputs."""
    files = collections.defaultdict(dict)
    for name in os.listdir(folder):
        found = re.fullmatch(r"(.+)\.output\.device\.(\d+)\.pt", name)
        if found:
            files[found.group(1)][int(found.group(2))] = os.path.join(folder, name)
    return files


def saved(folder, api, way):
    files = saved_files(folder).get(f"{api}.{way}", {})
    return {i: torch.load(files[i], weights_only=True) for i in sorted(files)}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("dump")
    p.add_argument("key", nargs="*")
    p.add_argument("--keys", help="file with one key a line")
    p.add_argument("--saved", help="msprobe's ut_error_data folder")
    p.add_argument("--manifest", help="file that tells which function a key called")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--json", help="write the findings here")
    p.add_argument("-v", "--verbose", action="store_true", help="print outputs that agree all three ways too")
    a = p.parse_intermixed_args()
    torch.set_num_threads(a.threads)
    dump = Dump(a.dump)
    keys = list(a.key)
    if a.keys:
        with open(a.keys) as f:
            keys += [line.strip() for line in f if line.strip()]
    called = {}
    if a.manifest:
        with open(a.manifest) as f:
            called = {k: v["called"] for k, v in json.load(f)["calls"].items() if "called" in v}
    rows, counts, bad = [], collections.Counter(), False
    for key in keys:
        api, way = key.rsplit(".", 1)
        name = called.get(f"{api}.forward", api.rsplit(".", 1)[0])
        recorded = list(flat(dump.data[key].get("output") or []))
        problem = None
        try:
            torch.manual_seed(1234)
            python = (call(dump, key, name)[0] if way == "forward" else gradients(dump, key, name))
        except Exception as e:
            python, problem = None, f"{type(e).__name__}: {str(e).splitlines()[0]}"
        mine = saved(a.saved, api, way) if a.saved else {}
        if way == "backward":  # neither side counts inputs without a gradient
            recorded = [r for r in recorded if isinstance(r, dict)]
            mine = dict(enumerate(mine.values()))
        for i, r in enumerate(recorded):
            if not isinstance(r, dict) or r.get("type") != "torch.Tensor":
                continue
            want = dump.tensor(r)
            py = python[i].detach() if python and i < len(python) and isinstance(python[i], torch.Tensor) else None
            note = problem or ""
            if py is not None and way == "backward" and py.dtype != want.dtype:
                note = f"recorded as {want.dtype}, before autograd made it {py.dtype}"
                want = want.real.to(py.dtype) if want.is_complex() and not py.is_complex() else want.to(py.dtype)
            row = {"key": key, "output": i, "python_msprobe": equal(py, mine.get(i)), "python_recorded": equal(py, want),
                   "msprobe_recorded": equal(mine.get(i), want), "note": note}
            rows.append(row)
            words = ["-" if row[c] is None else "equal" if row[c] else "differs"
                     for c in ("python_msprobe", "python_recorded", "msprobe_recorded")]
            counts[tuple(words)] += 1
            bad |= row["python_msprobe"] is False
            if a.verbose or words != ["equal"] * 3:
                print(f"{key}.output.{i}: python-msprobe {words[0]}, python-recorded {words[1]}, "
                      f"msprobe-recorded {words[2]}" + (f" ({note})" if note else ""))
    print("python-msprobe python-recorded msprobe-recorded")
    for words, n in counts.most_common():
        print("{:14} {:15} {:16} {}".format(*words, n))
    if a.json:
        with open(a.json, "w") as f:
            json.dump(rows, f)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
