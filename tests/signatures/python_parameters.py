"""Holds the `parameters` of config/signatures.yaml against the signatures of PyTorch's own Python functions.

usage: python_parameters.py CONFIG
Exit code 1 where names or their order differ; 77 where this Python has no torch.
"""

import inspect
import re
import sys

try:
    import torch
    import torch.functional
    import torch.nn.functional as F
except ImportError:
    print("SKIPPED: this Python has no torch")
    sys.exit(77)

ENTRY = re.compile(r'^"?([\w.]+)"?: \{parameters: "([^"]*)"')


def declared(path):
    """(entry, names in order) of each entry with parameters."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if match := ENTRY.match(line):
                flat = re.sub(r"\[[^\]]*\]|\([^)]*\)|'[^']*'", "", match[2])
                yield match[1], [part.split("=")[0].strip() for part in flat.split(",")]


def function_of(entry):
    """What PyTorch calls by that name, written in Python; None: none is, or its signature is hidden by a dispatch."""
    name = entry.removeprefix("Functional.")
    for place in (F, torch.functional):
        function = getattr(place, name, None)
        # max_pool2d(return_indices=) and its like pick one of two functions, which have the same parameters.
        function = getattr(place, f"_{name}", None) if function is None else function
        if inspect.isfunction(function):
            return function
    return None


def main():
    wrong, held = 0, []
    for entry, names in declared(sys.argv[1]):
        function = function_of(entry)
        if function is None:
            continue
        theirs = list(inspect.signature(function).parameters)
        if theirs == ["args", "kwargs"]:
            continue
        held.append(entry)
        if names != theirs[: len(names)]:  # the file needs them only as far as a fact reaches
            wrong += 1
            print(f"{entry}: {', '.join(names)}\n  PyTorch {torch.__version__}: {', '.join(theirs)}")
    print(f"held against PyTorch {torch.__version__}: {', '.join(held)}")
    return 1 if wrong or len(held) < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
