#!/usr/bin/env python3
"""Cuts small dumps out of large ones, with the rows that MindStudio msprobe 26.2.0 wrote for them.

    python make_small.py DUMPS PEER OUT

DUMPS/<network>/step0/rank0/ are dumps of task tensor, PEER/<network>/ its accuracy_checking_{details,result}.csv with the
CPU in the place of the device and one thread. OUT/<network>/ gets the smallest call of each API named below: dump.json,
its tensors, details.csv, result.csv.
"""
import csv
import json
import os
import shutil
import sys

WANTED = {
    "resnet_fp32_tensor": """Functional.conv2d Tensor.add_ Functional.batch_norm Functional.relu Functional.max_pool2d Tensor.__iadd__
        Functional.adaptive_avg_pool2d Functional.linear Functional.cross_entropy Torch.vector_norm Tensor.__add__
        Tensor.reciprocal Tensor.__mul__ Tensor.add""",
    "vit_fp16_tensor": """Tensor.__add__ Functional.dropout Functional.layer_norm Functional.linear Functional.gelu
        Functional.cross_entropy Tensor.__mul__ Tensor.add_""",
    "segnet_fp64_tensor": """Functional.leaky_relu Tensor.__add__ Tensor.__rmul__ Tensor.__iadd__ Tensor.mul_ Tensor.addcmul_
        Tensor.sqrt Tensor.add_ Tensor.addcdiv_""",
    "gpt2_amp_bf16_tensor": """Functional.embedding Tensor.__le__ Torch.where Torch.addmm Torch.matmul Tensor.__mul__
        Functional.softmax Tensor.__radd__ Torch.tanh Functional.pad Tensor.lerp_ Tensor.addcmul_ Tensor.sqrt
        Tensor.__truediv__ Tensor.add_ Tensor.addcdiv_""",
}


def files(entry):
    if isinstance(entry, dict):
        if entry.get("data_name"):
            yield entry["data_name"]
        entry = list(entry.values())
    if isinstance(entry, list):
        for item in entry:
            yield from files(item)


def rows(path):
    with open(path, encoding="utf-8-sig", newline="") as f:
        return list(csv.reader(f))


def main():
    dumps, peer, out = sys.argv[1:]
    for network, names in WANTED.items():
        source = os.path.join(dumps, network, "step0", "rank0")
        folder = os.path.join(source, "dump_tensor_data")
        with open(os.path.join(source, "dump.json")) as f:
            dump = json.load(f)
        size = {}
        for key, entry in dump["data"].items():
            api = key.rsplit(".", 1)[0]
            size[api] = size.get(api, 0) + sum(os.path.getsize(os.path.join(folder, name)) for name in files(entry))
        kept = set()
        for name in names.split():
            calls = [api for api in size if api.rsplit(".", 1)[0] == name]
            with_gradient = [api for api in calls if api + ".backward" in dump["data"]]
            kept.add(min(with_gradient or calls, key=lambda api: size[api]))
        dump["data"] = {key: entry for key, entry in dump["data"].items() if key.rsplit(".", 1)[0] in kept}
        to = os.path.join(out, network)
        shutil.rmtree(to, ignore_errors=True)
        os.makedirs(os.path.join(to, "dump_tensor_data"))
        for name in set(files(dump["data"])):
            shutil.copyfile(os.path.join(folder, name), os.path.join(to, "dump_tensor_data", name))
        with open(os.path.join(to, "dump.json"), "w") as f:
            json.dump(dump, f, indent=1)
        for kind in ("details", "result"):
            table = rows(os.path.join(peer, network, f"accuracy_checking_{kind}.csv"))
            with open(os.path.join(to, kind + ".csv"), "w", encoding="utf-8", newline="") as f:
                csv.writer(f, lineterminator="\n").writerows(
                    [table[0]] + [row for row in table[1:] if any((row[0] + ".").startswith(api + ".") for api in kept)])


if __name__ == "__main__":
    main()
