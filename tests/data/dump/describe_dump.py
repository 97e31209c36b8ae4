#!/usr/bin/env python3
"""Write what a dump.json says, one line an entry, read by Python's json module: the expectation of RecordTest.ReadsAsPythonDoes.

    describe_dump.py forms.json > forms.expected.txt
"""
import json
import re
import sys

STATISTICS = ("Max", "Min", "Mean", "Norm", "Max_except_inf_nan", "Min_except_inf_nan")


def number(x):
    return "%.17g" % x


def statistic(tensor, key):
    if key not in tensor:
        return "-"
    x = tensor[key]
    if x is None:
        return "null"
    if isinstance(x, bool):
        return str(x)
    if isinstance(x, int):
        return f"int {x}" if -2**63 <= x < 2**63 else number(float(x))
    return number(x) if isinstance(x, float) else "other " + json.dumps(x)


def listed(items):
    return "[" + ", ".join(map(argument, items)) + "]"


def members(items):
    return "{" + ", ".join(f"{k}={argument(v)}" for k, v in items.items()) + "}"


def typed(x):
    kind = x["type"]
    value = x.get("value")
    if "dtype" in x and "shape" in x:
        shape = ", ".join(map(str, x["shape"]))
        name = x.get("data_name") or x.get("datapath") or ""
        return (f"<{kind} {x['dtype']} ({shape}) " + " ".join(statistic(x, k) for k in STATISTICS)
                + f" {x.get('requires_grad', False)} \"{name}\">")
    match = re.fullmatch(r"(?:numpy\.)?(bool_|u?int\d+|float\d+)", kind)
    if match:
        return f"numpy.{match[1].rstrip('_')} " + argument(value)
    plain = {"int": argument, "bool": argument, "str": argument, "slice": lambda v: "slice" + listed(v),
             "float": lambda v: "float " + number(v), "ellipsis": lambda v: "Ellipsis",
             "torch.Size": lambda v: "Size" + listed(v), "torch.dtype": lambda v: "dtype " + v,
             "torch.device": lambda v: "device " + v}
    if kind == "torch.memory_format":
        return "memory_format " + x["format"]
    if kind in plain and "value" in x:
        return plain[kind](value)
    return "unknown " + json.dumps(x)


def argument(x):
    if x is None:
        return "None"
    if isinstance(x, str):
        return f'"{x}"'
    if isinstance(x, float):
        return "float " + number(x)
    if isinstance(x, (bool, int)):
        return str(x)
    if isinstance(x, list):
        return listed(x)
    if not x:
        return "Opaque"
    return typed(x) if isinstance(x.get("type"), str) else members(x)


def entry(key, x):
    if key.endswith(".backward"):
        return f"{key}: input {listed(x['input'])} output {listed(x['output'])}"
    output = listed(x["output"]) if x.get("output") is not None else "-"
    return f"{key}: args {listed(x['input_args'])} kwargs {members(x['input_kwargs'])} output {output}"


def main():
    with open(sys.argv[1]) as f:
        data = json.load(f)["data"]
    for direction in ("forward", "backward"):
        for key, value in data.items():
            if "Module" not in key and key.endswith("." + direction):
                print(entry(key, value))


if __name__ == "__main__":
    main()
