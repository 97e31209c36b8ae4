#!/usr/bin/env python3
"""Makes a small dump out of large ones: tests/data/sim_npu.

select_records.py OUT --first DUMP...        of every dump the first call of each API, as statistics, numbered anew
select_records.py OUT --named NAMES DUMP     the calls that the file NAMES lists ("Torch.acos.3" a line), with tensors
"""
import json
import pathlib
import shutil
import sys

MOST_ELEMENTS = 200_000


def tensors(value):
    if isinstance(value, dict):
        if "shape" in value:
            yield value
        for item in value.values():
            yield from tensors(item)
    elif isinstance(value, list):
        for item in value:
            yield from tensors(item)


def size(entry):
    total = 0
    for tensor in tensors(entry):
        count = 1
        for n in tensor["shape"]:
            count *= n
        total += count
    return total


def first_calls(dumps):
    selected = {}
    for path in dumps:
        data = json.loads(path.read_text())["data"]
        seen = set()
        for key in data:
            api, number, direction = key.rsplit(".", 2)
            if direction != "forward" or api in seen or api.startswith("Module."):
                continue
            entries = {d: data.get(f"{api}.{number}.{d}") for d in ("forward", "backward")}
            entries = {d: entry for d, entry in entries.items() if entry is not None}
            if sum(map(size, entries.values())) > MOST_ELEMENTS:
                continue
            seen.add(api)
            place = sum(1 for k in selected if k.startswith(api + ".") and k.endswith(".forward"))
            for d, entry in entries.items():
                for tensor in tensors(entry):
                    tensor.pop("data_name", None)
                selected[f"{api}.{place}.{d}"] = entry
    return selected


def main():
    out, mode, *rest = sys.argv[1:]
    folder = pathlib.Path(out) / "step0" / "rank0"
    folder.mkdir(parents=True, exist_ok=True)
    if mode == "--first":
        head = {"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None}
        head["data"] = first_calls([pathlib.Path(p) for p in rest])
    else:
        names = set(pathlib.Path(rest[0]).read_text().split())
        source = pathlib.Path(rest[1])
        head = json.loads(source.read_text())
        head["dump_data_dir"] = "./dump_tensor_data"
        head["data"] = {k: v for k, v in head["data"].items() if k.rsplit(".", 1)[0] in names}
        missing = names - {k.rsplit(".", 1)[0] for k in head["data"]}
        if missing:
            sys.exit(f"not in {source}: {sorted(missing)}")
        tensors_folder = folder / "dump_tensor_data"
        tensors_folder.mkdir(exist_ok=True)
        for tensor in tensors(head["data"]):
            if name := tensor.get("data_name"):
                shutil.copyfile(source.parent / "dump_tensor_data" / name, tensors_folder / name)
    (folder / "dump.json").write_text(json.dumps(head, separators=(",", ":")).replace('},"', '},\n"'))
    print(f"{len(head['data'])} entries")


main()
