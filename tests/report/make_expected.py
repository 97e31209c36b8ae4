#!/usr/bin/env python3
"""Makes the expectations of the CSV tests with Python's own csv module and number formatting.

    make_expected.py DATA_FOLDER

writes *.cells beside each *.csv (a line a row, cells parted by U+001F, line breaks inside them as U+001E) and figures.txt (a line a
number: its bits in hexadecimal, digits after the point, text).
"""
import csv
import pathlib
import random
import struct
import sys
from decimal import Decimal

folder = pathlib.Path(sys.argv[1])
for path in sorted(folder.glob("*.csv")):
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    with open(path.with_suffix(".cells"), "w", newline="", encoding="utf-8") as out:
        for row in rows:
            cells = [cell.replace("\r\n", "\n").replace("\n", "\x1e") for cell in row]
            out.write("\x1f".join(cells) + "\n")

random.seed(20)
values = [0.0, -0.0, 1.0, 0.5, 1 / 3, 2 / 3, 0.1, 1e-20, 5e-324, 1.7976931348623157e308, 123456789.125, 0.005, 2.675, 1e22, 1e23]
values += [random.uniform(-1, 1) * 10.0 ** random.randint(-25, 25) for _ in range(300)]
with open(folder / "figures.txt", "w", encoding="ascii") as out:
    for index, value in enumerate(values):
        precision = [14, 0, 20, 6][index % 4] if index >= 15 else 14
        # Decimal(value) is exact, so its rounding is the right one.
        text = format(Decimal(value), f".{precision}f")
        out.write(f"{struct.unpack('<Q', struct.pack('<d', value))[0]:016x} {precision} {text}\n")
