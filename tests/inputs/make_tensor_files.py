#!/usr/bin/env python3
"""Writes tests/data/inputs/dump_tensor_data/: torch.save files and an array whose values BuildTest names.

Usage: python3 make_tensor_files.py FOLDER
"""
import os
import sys

import numpy as np
import torch


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    counting = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    tensors = {
        "float32": counting - 2.5,
        "bfloat16": (counting / 2).to(torch.bfloat16),
        "int32": torch.tensor([3, -100, 7], dtype=torch.int32),
        "bool": torch.tensor([True, False, True]),
        "complex64": torch.tensor([1 + 2j, -3.5j]),
        "float8_e4m3fn": torch.tensor([0.5, -448.0, 2.0**-9]).to(torch.float8_e4m3fn),
    }
    for name, tensor in tensors.items():
        torch.save(tensor, os.path.join(folder, name + ".pt"))
    np.save(os.path.join(folder, "array.npy"), np.array([[1.5, -2.0], [0.25, 8.0]]))


if __name__ == "__main__":
    main()
