#!/usr/bin/env python3
"""Places of all APIs of a dump by Python's json: describe_places.py FOLDER > places.expected.txt

One line a forward entry: name, the innermost frame of FOLDER/stack.json whose file lies outside of site-packages (line, function,
code), and the modules around it out of FOLDER/construct.json, innermost first."""
import json
import os
import re
import sys

folder = sys.argv[1]
stack, construct, dump = (json.load(open(os.path.join(folder, name + ".json"))) for name in ("stack", "construct", "dump"))
frames_of = {name: frames for names, frames in stack.values() for name in names}
for key in dump["data"]:
    if not key.endswith(".forward") or "Module" in key:
        continue
    own = next(frame for frame in frames_of[key] if "site-packages" not in frame)
    path, line, function, code = re.fullmatch(r"File (.*), line (\d+), in (.*), \n (.*)", own).groups()
    modules, at = [], construct.get(key)
    while at is not None:
        modules.append(re.fullmatch(r"Module\.(.*)\.\w+\.(?:forward|backward)\.\d+", at)[1] if at.startswith("Module.") else at)
        at = construct.get(at)
    print(key, os.path.basename(path), line, function, code, " ".join(modules) or "-", sep="\t")
