#!/usr/bin/env python3
"""Writes a tensor dump of calls whose outputs and gradients have a size that one chooses: for measuring which faults are found.

    power_dump.py OUT_FOLDER

OUT_FOLDER gets step0/rank0/dump.json and its tensors: common operators, forward and backward, in float16, bfloat16, float32, float64 and,
where they take it, complex64, with outputs and first gradients near 1, 1e-3, 1e-6 and 1e-9. What would be 0 throughout
in its dtype is left out. Needs torch; the same bytes with the same torch.
"""
import json
import math
import pathlib
import sys

import torch

SCALES = (1, 1e-3, 1e-6, 1e-9)
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64)
F = torch.nn.functional


class Draw:
    """Random tensors of one dtype, drawn in its largest precision."""

    def __init__(self, dtype, seed):
        self.dtype, self.generator = dtype, torch.Generator().manual_seed(seed)

    def __call__(self, *shape, scale=1.0, shift=0.0):
        wide = torch.complex128 if self.dtype.is_complex else torch.float64
        return (torch.randn(shape, dtype=wide, generator=self.generator) * scale + shift).to(self.dtype)

    def positive(self, *shape):
        return (torch.rand(shape, dtype=torch.float64, generator=self.generator) + 1).to(self.dtype)

    def below(self, end, *shape):
        return torch.randint(0, end, shape, generator=self.generator)


def products(draw, s):
    """Sums of n products: both factors get the root of s / sqrt(n)."""
    root = lambda n: math.sqrt(s / math.sqrt(n))
    r = root(64)
    yield "Torch.mm", torch.mm, [draw(48, 64, scale=r), draw(64, 40, scale=r)], {}
    yield "Torch.matmul", torch.matmul, [draw(3, 24, 64, scale=r), draw(64, 20, scale=r)], {}
    r = root(32)
    yield "Torch.bmm", torch.bmm, [draw(4, 24, 32, scale=r), draw(4, 32, 16, scale=r)], {}
    yield "Torch.einsum", torch.einsum, ["bij,bjk->bik", draw(4, 24, 32, scale=r), draw(4, 32, 16, scale=r)], {}
    r = root(64)
    yield "Functional.linear", F.linear, [draw(32, 64, scale=r), draw(48, 64, scale=r), draw(48, scale=s)], {}
    if not draw.dtype.is_complex:
        r = root(36)
        yield "Functional.conv2d", F.conv2d, [draw(2, 4, 12, 12, scale=r), draw(8, 4, 3, 3, scale=r), draw(8, scale=s)], {}
        q, k, v = draw(2, 2, 16, 8), draw(2, 2, 16, 8), draw(2, 2, 16, 8, scale=s)
        yield "Functional.scaled_dot_product_attention", F.scaled_dot_product_attention, [q, k, v], {}


def norms(draw, s):
    yield "Functional.layer_norm", F.layer_norm, [draw(16, 64), [64], draw(64, scale=s), draw(64, scale=s)], {}
    yield "Functional.rms_norm", F.rms_norm, [draw(16, 64), [64], draw(64, scale=s)], {}
    running = [torch.zeros(16, dtype=draw.dtype), torch.ones(16, dtype=draw.dtype)]
    yield "Functional.batch_norm", F.batch_norm, [draw(8, 16, 6, 6), *running, draw(16, scale=s), draw(16, scale=s), True], {}
    if s == 1:
        yield "Functional.softmax", F.softmax, [draw(16, 8)], {"dim": -1}
        yield "Functional.log_softmax", F.log_softmax, [draw(16, 32)], {"dim": -1}
    if s == 1e-3:
        yield "Functional.softmax", F.softmax, [draw(8, 2000)], {"dim": -1}


def losses_and_lookups(draw, s):
    logits, target = draw(32, 10), draw.below(10, 32)
    sure = F.one_hot(target, 10).to(draw.dtype) * (math.log(10 / s) if s < 1 else 0)
    yield "Functional.cross_entropy", F.cross_entropy, [logits + sure, target], {}
    yield "Functional.embedding", F.embedding, [draw.below(50, 4, 12), draw(50, 16, scale=s)], {}
    yield "Functional.gelu", F.gelu, [draw(16, 48, scale=2 * s)], {}
    yield "Functional.silu", F.silu, [draw(16, 48, scale=2 * s)], {}
    yield "Functional.interpolate", F.interpolate, [draw(2, 3, 8, 8, scale=s)], {"size": [13, 13], "mode": "bilinear"}


def elementwise(draw, s):
    yield "Torch.tanh", torch.tanh, [draw(16, 48, scale=s)], {}
    yield "Torch.sigmoid", torch.sigmoid, [draw(16, 48, shift=math.log(s))], {}
    yield "Torch.exp", torch.exp, [draw(16, 48, scale=0.5, shift=math.log(s))], {}
    yield "Torch.add", torch.add, [draw(16, 48, scale=s), draw(48, scale=s)], {}
    yield "Torch.mul", torch.mul, [draw(16, 48, scale=math.sqrt(s)), draw(48, scale=math.sqrt(s))], {}
    yield "Torch.div", torch.div, [draw(16, 48, scale=s), draw.positive(16, 1)], {}
    yield "Torch.sum", torch.sum, [draw(24, 64, scale=s / 8), 1], {}
    yield "Torch.mean", torch.mean, [draw(24, 64, scale=s * 8), 1], {}
    yield "Torch.cumsum", torch.cumsum, [draw(24, 64, scale=s / 8), 1], {}
    yield "Torch.index_select", torch.index_select, [draw(24, 40, scale=s), 0, draw.below(24, 30)], {}


def calls(dtype, s, seed):
    draw = Draw(dtype, seed)
    for family in (products, elementwise) if dtype.is_complex else (products, norms, losses_and_lookups, elementwise):
        yield from family(draw, s)


class Dump:
    def __init__(self, folder):
        self.folder, self.data, self.counts = folder, {}, {}
        (folder / "dump_tensor_data").mkdir(parents=True)

    def tensor(self, t, name):
        torch.save(t.detach().contiguous().clone(), self.folder / "dump_tensor_data" / f"{name}.pt")
        real = t.detach().abs() if t.is_complex() else t.detach()
        real = real.double()
        return {"type": "torch.Tensor", "dtype": str(t.dtype), "shape": list(t.shape), "Max": real.max().item(), "Min": real.min().item(),
                "Mean": real.mean().item(), "Norm": real.norm().item(), "requires_grad": t.requires_grad, "data_name": f"{name}.pt"}

    def value(self, v, name):
        if isinstance(v, torch.Tensor):
            return self.tensor(v, name)
        if isinstance(v, list):
            return [self.value(item, name) for item in v]
        return {"type": type(v).__name__, "value": v}

    def add(self, api, arguments, keywords, output, given, gradients):
        name = f"{api}.{self.counts.setdefault(api, 0)}"
        self.counts[api] += 1
        forward, backward = name + ".forward", name + ".backward"
        self.data[forward] = {
            "input_args": [self.value(v, f"{forward}.input.{i}") for i, v in enumerate(arguments)],
            "input_kwargs": {k: self.value(v, f"{forward}.input.{k}") for k, v in keywords.items()},
            "output": [self.value(output, f"{forward}.output.0")]}
        if given is not None:
            self.data[backward] = {"input": [self.value(given, f"{backward}.input.0")],
                                   "output": [self.value(g, f"{backward}.output.{i}") for i, g in enumerate(gradients)]}

    def write(self):
        head = {"task": "tensor", "level": "L1", "framework": "pytorch", "dump_data_dir": str(self.folder / "dump_tensor_data")}
        (self.folder / "dump.json").write_text(json.dumps({**head, "data": self.data}))


def run(call, arguments, keywords, given=None):
    """Output, leaves' gradients for `given`. Leaves are the floating arguments but batch_norm's running ones."""
    fresh = [v.detach().clone().requires_grad_(v.requires_grad) if isinstance(v, torch.Tensor) else v for v in arguments]
    output = call(*fresh, **keywords)
    if given is None or not output.requires_grad:
        return output, []
    output.backward(given)
    return output, [v.grad for v in fresh if isinstance(v, torch.Tensor) and v.requires_grad]


def add_call(dump, api, call, arguments, keywords, s, draw):
    for i, v in enumerate(arguments):
        if isinstance(v, torch.Tensor) and (v.is_floating_point() or v.is_complex()) and not (api.endswith("batch_norm") and i in (1, 2)):
            v.requires_grad_(True)
    output, _ = run(call, arguments, keywords)
    if not output.detach().to(torch.complex128).abs().max() > 0:
        return
    given = draw(*output.shape)
    _, gradients = run(call, arguments, keywords, given)
    size = gradients[0].to(torch.complex128).abs().pow(2).mean().sqrt().item()
    given = (given.to(torch.complex128 if given.is_complex() else torch.float64) * (s / size if size > 0 else 1)).to(draw.dtype)
    _, gradients = run(call, arguments, keywords, given)
    alive = any(g is not None and bool((g != 0).any()) for g in gradients)
    dump.add(api, arguments, keywords, output, given if alive else None, gradients)


def main(out):
    torch.set_num_threads(1)
    dump = Dump(pathlib.Path(out).absolute() / "step0" / "rank0")
    for d, dtype in enumerate(DTYPES):
        for k, s in enumerate(SCALES):
            seed = 100 * d + k
            for api, call, arguments, keywords in calls(dtype, s, seed):
                add_call(dump, api, call, arguments, keywords, s, Draw(dtype, seed + 50))
    dump.write()


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
