#!/usr/bin/env python3
"""A second implementation of the generator that src/inputs/seed.h and random.h describe, in Python integers and floats.

Prints the draws that tests/data/inputs/reference_draws.txt keeps and InputBitsTest compares with, one tensor a line:
    dtype seed api position low high elements index:hex index:hex ...
low and high as decimal integers or hexadecimal floats, hex = the element's bytes as one big number (complex: real:imaginary
joined by a comma). Needs numpy and, for bfloat16 and float8, torch:  python3 reference_generator.py > reference_draws.txt
"""
import math
import struct

import numpy as np
import torch

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def key_of(seed, api, position):
    h = 0xCBF29CE484222325
    for byte in struct.pack("<Q", seed) + api.encode() + b"\0" + position.encode():
        h = (h ^ byte) * 0x100000001B3 & MASK
    return mix(h)


def word(key, i):
    return mix(key + (i + 1) * GAMMA & MASK)


def round_up(value, bits):
    if value == 0:
        return 0.0
    mantissa, exponent = math.frexp(value)
    return math.ldexp(math.ceil(math.ldexp(mantissa, bits)), exponent - bits)


def wide(w, low, high):
    magnitude = max(abs(low), abs(high))
    scale = 0.25 if magnitude > 2.0**1000 else 2.0**600 if magnitude < 2.0**-400 else 1.0
    a, b = low * scale, high * scale
    span = round_up(b - a, 26)
    value = a + (w >> 38) * (span * 2.0**-26)
    value = value + (w >> 11 & (2**27 - 1)) * (span * 2.0**-53)
    return min(value, b) * (1 / scale)


def narrow(key, i, low, high):
    half = word(key, i // 2) >> 32 * (i % 2) & 0xFFFFFFFF
    return min(low + (half >> 8) * (round_up(high - low, 29) * 2.0**-24), high)


def direction(w):
    while True:
        x, y = (v - 2**32 if v >= 2**31 else v for v in (w & 0xFFFFFFFF, w >> 32))
        square = x * x + y * y
        if 2**40 <= square <= 2**62:
            length = math.sqrt(float(square))
            return x / length, y / length
        w = mix(w + GAMMA & MASK)


SIGNED = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
UNSIGNED = {"bool": 8, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}


def element(dtype, key, i, n, low, high):
    if dtype in SIGNED or dtype in UNSIGNED:
        value = low if i == 0 else high if i == n - 1 else low + (word(key, i) * (high - low + 1) >> 64)
        bits = SIGNED.get(dtype) or UNSIGNED[dtype]
        return f"{value & 2**bits - 1:x}"
    if dtype.startswith("complex"):
        modulus, (x, y) = wide(word(key, 2 * i), low, high), direction(word(key, 2 * i + 1))
        parts = (low, 0.0) if i == 0 else (high, 0.0) if i == n - 1 else (modulus * x, modulus * y)
        if dtype == "complex128":
            return ",".join(struct.pack(">d", v).hex() for v in parts)
        parts = [np.float32(v) for v in parts]
        if dtype == "complex64":
            return ",".join(struct.pack(">f", v).hex() for v in parts)
        return ",".join(f"{int(np.float16(v).view(np.uint16)):04x}" for v in parts)
    planted = low if i == 0 else high if i == n - 1 else None
    if dtype == "float64":
        return struct.pack(">d", wide(word(key, i), low, high) if planted is None else planted).hex()
    single = np.float32(narrow(key, i, low, high) if planted is None else planted)
    if dtype == "float32":
        return struct.pack(">f", single).hex()
    if dtype == "float16":
        return f"{int(np.float16(single).view(np.uint16)):04x}"
    cast = torch.tensor(float(single), dtype=torch.float32).to(getattr(torch, dtype))
    width = cast.element_size()
    raw = cast.reshape(1).view(torch.uint8 if width == 1 else torch.int16).item()
    return f"{raw & 2 ** (8 * width) - 1:0{2 * width}x}"


def line(dtype, seed, api, position, low, high, n, indices):
    key = key_of(seed, api, position)
    text = [v.hex() if isinstance(v, float) else str(v) for v in (low, high)]
    cells = [f"{i}:{element(dtype, key, i, n, low, high)}" for i in indices]
    return " ".join([dtype, str(seed), api, position, *text, str(n), *cells])


def main():
    dmax, fmax, bmax = 1.7976931348623157e308, 3.4028234663852886e38, 3.3895313892515355e38
    cases = [
        ("bool", 0, 1), ("int8", -128, 127), ("uint8", 0, 255), ("int16", -3, 900), ("uint16", 0, 65535),
        ("int32", -(2**31), 2**31 - 1), ("uint32", 5, 2**32 - 1), ("int64", -(2**63), 2**63 - 1), ("int64", 0, 2**63 - 1),
        ("int64", -100, 9), ("uint64", 0, 2**64 - 1),
        ("float16", -65504.0, 65504.0), ("float16", -1.0, 1.0), ("float16", 0.0, 2.0**-24),
        ("bfloat16", -bmax, bmax), ("bfloat16", -0.1796875, 3.0),
        ("float32", -1.0, 1.0), ("float32", -fmax, fmax), ("float32", -fmax, 0.0), ("float32", 0.0, 2.0**-149),
        ("float32", float(np.float32(0.1)), float(np.float32(0.3))), ("float32", -7.25, -7.25),
        ("float64", -1.0, 1.0), ("float64", -dmax, dmax), ("float64", 0.1, 0.30000000000000004), ("float64", 5e-324, 1e-310),
        ("float64", 1.0, 1.0000000000000002), ("float64", -dmax, 3.0),
        ("float8_e4m3fn", -448.0, 448.0), ("float8_e5m2", -57344.0, 57344.0), ("float8_e4m3fnuz", -1.0, 1.0),
        ("float8_e5m2fnuz", -1.0, 1.0), ("float8_e8m0fnu", 0.25, 16.0),
        ("complex64", 0.0, 8.660309791564941), ("complex128", 0.5, 2.0), ("complex32", 0.0, 4.0),
    ]
    for number, (dtype, low, high) in enumerate(cases):
        n = 100003
        print(line(dtype, 1234, f"Torch.add.{number}", "input.0", low, high, n,
                   [*range(12), 1023, 1024, 1025, 32767, 32768, 65536, 99999, n - 2, n - 1]))
    for seed, api, position in [(0, "Functional.conv2d.0", "input.1"), (1234, "Functional.conv2d.0", "kwargs.weight"),
                                (2**64 - 1, "Torch.linalg.norm.3", "backward.input.0"), (1235, "Functional.conv2d.0", "input.1.2")]:
        print(line("float32", seed, api, position, -2.0, 2.0, 7, range(7)))


if __name__ == "__main__":
    main()
