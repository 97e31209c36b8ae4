#!/usr/bin/env python3
"""Writes tests/data/ops/adaptor_cases.json: calls of PyTorch's Python functions, their results and their gradients.

    make_adaptor_cases.py OUT

Needs Python with torch (made with 2.13). Every case is one call as a dump would record it; adaptors_cases_test.cpp repeats it
in C++. Tensors are small and written out as numbers, so a failing case can be read.
"""
import inspect
import json
import math
import sys
import warnings

import numpy as np
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
INF = math.inf
cases = []


# ---- values

def short(x):
    """Few digits, so that the file stays short; still no two alike where it matters."""
    return torch.round(x, decimals=3)


def f(*shape, dtype=torch.float64, grad=True):
    return short(torch.randn(shape, dtype=torch.float64)).to(dtype).requires_grad_(grad)


def c(*shape, dtype=torch.float64):
    return f(*shape, dtype=dtype, grad=False)


def pos(*shape, grad=True):
    return short(torch.rand(shape, dtype=torch.float64) + 0.1).requires_grad_(grad)


def prob(*shape, grad=True):
    return short(torch.rand(shape, dtype=torch.float64) * 0.8 + 0.1).requires_grad_(grad)


def i(lo, hi, *shape, dtype=torch.int64):
    return torch.randint(lo, hi, shape, dtype=dtype)


def b(*shape):
    return torch.rand(shape) > 0.5


def t(data, dtype=None):
    return torch.tensor(data, dtype=dtype)


class Null:
    """Recorded as null."""


# ---- JSON

def number(x):
    if isinstance(x, float) and not math.isfinite(x):
        return str(x)
    return x


def encode(v):
    if v is None or isinstance(v, Null):
        return None
    if isinstance(v, torch.Tensor):
        flat = v.detach().resolve_conj().resolve_neg().contiguous()
        if flat.is_complex():
            flat = torch.view_as_real(flat if flat.dtype != torch.complex32 else flat.to(torch.complex64))
        if flat.is_floating_point():
            flat = flat.double()
        data = [number(x) for x in flat.reshape(-1).tolist()]
        return {"tensor": str(v.dtype)[6:], "shape": list(v.shape), "data": data, "grad": v.requires_grad and v.is_leaf}
    if isinstance(v, np.ndarray):
        return encode(torch.from_numpy(v))
    if isinstance(v, bool):
        return v
    if isinstance(v, (int, np.integer)):
        return {"int": int(v)}
    if isinstance(v, float):
        return {"float": number(v)}
    if isinstance(v, complex):
        return {"complex": [v.real, v.imag]}
    if isinstance(v, str):
        return v
    if v is Ellipsis:
        return {"ellipsis": True}
    if isinstance(v, slice):
        return {"slice": [encode(p) for p in (v.start, v.stop, v.step)]}
    if isinstance(v, torch.dtype):
        return {"dtype": str(v)}
    if isinstance(v, torch.device):
        return {"device": str(v)}
    if isinstance(v, torch.memory_format):
        return {"memory_format": str(v)[6:]}
    if isinstance(v, torch.Size):
        return {"size": list(v)}
    if isinstance(v, (list, tuple)):
        return [encode(x) for x in v]
    raise TypeError(type(v))


def flat(v):
    if isinstance(v, (list, tuple)):
        return [x for y in v for x in flat(y)]
    if isinstance(v, dict):
        return [x for y in v.values() for x in flat(y)]
    return [v]


def tensors(v):
    return [x for x in flat(v) if isinstance(x, torch.Tensor)]


def function(api):
    space, name = api.split("#")[0].split(".", 1)
    return getattr({"Functional": F, "Torch": torch, "Tensor": torch.Tensor}[space], name)


def case(api, *args, call=None, inplace=False, seed=None, needs=None, **kwargs):
    """Calls `call` (default: the function of that name) with these arguments and writes down what came of it."""
    given = {"api": api, "args": encode(args), "kwargs": {k: encode(v) for k, v in kwargs.items()}}
    leaves = [x for x in tensors(args) + tensors(kwargs) if x.requires_grad]
    if inplace:
        args = [x.clone() if isinstance(x, torch.Tensor) and x.requires_grad else x for x in args]
        given["inplace"] = True
    if seed is not None:
        torch.manual_seed(seed)
        given["seed"] = seed
    if needs:
        given["needs"] = needs
    live = [None if isinstance(x, Null) else x for x in args], {k: None if isinstance(x, Null) else x for k, x in kwargs.items()}
    before = [x.detach().clone() for x in tensors(live)]
    result = (call or function(api))(*live[0], **live[1])
    given["out"] = encode(result)
    after = {str(n): encode(x.detach()) for n, (x, old) in enumerate(zip(tensors(live), before))
             if x.shape != old.shape or not torch.equal(torch.nan_to_num(x.detach()), torch.nan_to_num(old))}
    if after:
        given["after"] = after
    outs = [o for o in tensors(result) if o.requires_grad]
    if not outs and inplace:
        outs = [x for x in tensors(live) if x.requires_grad and x.grad_fn is not None]
    if outs and leaves:
        weights = [(torch.arange(1, o.numel() + 1, dtype=torch.float64) / max(o.numel(), 1)).reshape(o.shape).to(o.dtype) for o in outs]
        grads = torch.autograd.grad(outs, leaves, weights, allow_unused=True)
        given["grads"] = [encode(g if g is None or g.layout == torch.strided else g.to_dense()) for g in grads]
    cases.append(given)


# ---- casts

def casts():
    x = f(2, 3)
    for n in "bfloat16 bool byte cdouble cfloat chalf char double float half int long short".split():
        case("Tensor." + n, c(2, 3).abs() if n == "byte" else f(2, 3, grad=n in ("double", "float")))
    case("Tensor.float", f(1, 2, 2, 2), memory_format=torch.channels_last)
    case("Tensor.type", f(2), "torch.FloatTensor")
    case("Tensor.type", f(2), torch.float16)
    case("Tensor.type", i(0, 5, 3), "torch.BFloat16Tensor")
    case("Tensor.type", x.detach().to(torch.int8))
    case("Tensor.to", f(2), torch.float32)
    case("Tensor.to", f(2), torch.device("cpu"), torch.float32, False, True)
    case("Tensor.to", f(2), "cpu", torch.float32)
    case("Tensor.to", f(2), dtype=torch.float16, copy=True)
    case("Tensor.to", f(2), device=torch.device("cpu"), dtype=torch.float32)
    case("Tensor.to", f(2), c(1, dtype=torch.float32))
    case("Tensor.to", f(2), tensor=c(1, dtype=torch.float32))
    case("Tensor.to", f(2))
    case("Tensor.to", f(1, 2, 2, 2), torch.float32, memory_format=torch.channels_last)
    case("Tensor.cpu", f(2))


# ---- indexing

def indexing():
    def get(index, *shape, x=None):
        case("Tensor.__getitem__", f(*shape) if x is None else x, index)

    for index in (0, -1, True, False, None, ..., slice(None), slice(1, None), slice(0, 9), slice(-2, -1), slice(None, None, 2), slice(5, 2), ()):
        get(index, 3, 4)
    get((0, -1), 3, 4)
    get((..., 0), 3, 4)
    get((0, ...), 3, 4)
    get((None, ..., None), 3, 4)
    get((slice(None), None, slice(1, 3)), 3, 4)
    get((slice(None), slice(None)), 3, 4)
    get((slice(0, 3), 1), 3, 4)
    get((1, slice(None, None, 3), ..., -1), 3, 4, 2, 2)
    get(torch.Size([1, 2]), 3, 4)
    get((True, 0), 3, 4)
    get((False, slice(None, 2)), 3, 4)
    get((slice(None), True), 3, 4)
    get(t([2, 0, 0]), 3, 4)
    get(t([2, 0], torch.int32), 3, 4)
    get(t([[2, -1], [0, 1]]), 3, 4)
    get(t(1), 3, 4)
    get((t(1), t(2)), 3, 4)
    get(t(True), 3, 4)
    get(t(False), 3, 4)
    get(t(1, torch.uint8), 3, 4)
    get(t([True, False, True]), 3, 4)
    get(t([1, 0, 1], torch.uint8), 3, 4)
    get(t([[True, False, True, False]] * 3), 3, 4)
    get((slice(None), t([True, False, True, False])), 3, 4)
    get((t([[True, False, True], [False, True, True]]), slice(1, 3)), 2, 3, 4)
    get((t([[True, False, True], [False, True, True]]), 1), 2, 3, 4)
    get((t([[True, False, True], [False, True, True]]), ..., 1), 2, 3, 4, 2)
    get((t([0, 1]), slice(None), t([2, 0])), 3, 4, 5)
    get((t([0, 1]), None, t([2, 0])), 3, 4, 5)
    get((slice(1, None), t([0, 1]), t([2, 0])), 3, 4, 5)
    get((..., t([0, 1])), 3, 4, 5)
    get((0, t([0, 1]), ..., None), 3, 4, 5)
    get((t([[0], [1]]), t([2, 0, 1])), 3, 4)
    get(([0, 2], [1, 3]), 3, 4)
    get(([0, 2], slice(1, 3)), 3, 4)
    get(([True, False, True], 0), 3, 4)
    get(([[0, 1], [2, 0]],), 3, 4)
    get((slice(None), [[0, 1], [2, 0]]), 3, 4)
    get(([1.0, 0.0], 1), 3, 4)
    get(np.array([2, 1]), 3, 4)
    get(np.int64(1), 3, 4)
    get((slice(t(1), t(3)),), 3, 4)
    get(0, x=i(0, 9, 3))
    get(t([], torch.int64), 3, 4)
    get((), x=f())
    get(..., x=f())
    get(None, x=f())
    get(True, x=f())
    for index in ([0, 2], [2], [], [[0, 1], [2, 0]], [True, False, True], [np.int64(1), 0]):
        case("Tensor.__getitem__#list", f(3, 4), index, call=lambda x, l: x[torch.tensor(l) if len(l) else torch.empty(0, dtype=torch.int64)])

    def put(index, value, *shape, x=None):
        case("Tensor.__setitem__", f(*shape) if x is None else x, index, value, inplace=True)

    put(0, 1.5, 3, 4)
    put(-1, 2, 3, 4)
    put(..., True, 3, 4)
    put(None, 0.5, 3, 4)
    put(True, 0.5, 3, 4)
    put(False, 0.5, 3, 4)
    put(slice(None), f(3, 4), 3, 4)
    put(slice(1, None), f(4), 3, 4)
    put(slice(1, None), f(1, 1, 2, 4), 3, 4)
    put((0, 1), f(), 3, 4)
    put((0, 1), f(1), 3, 4)
    put((..., 0), f(3), 3, 4)
    put((slice(None), None, 1), f(3, 1), 3, 4)
    put(t([2, 0]), f(2, 4), 3, 4)
    put(t([2, 0]), f(1, 1, 4), 3, 4)
    put(t([2, 0]), -1.0, 3, 4)
    put((slice(None), t([1, 3])), f(3, 1), 3, 4)
    put((t([0, 1]), t([1, 3])), f(), 3, 4)
    put(t([[True, False, True, False]] * 3), 7.0, 3, 4)
    put(t([True, False, True]), f(4), 3, 4)
    put(([0, 2], [1, 3]), f(2), 3, 4)
    put(t(1), f(4), 3, 4)
    put(0, c(4, dtype=torch.float32), 3, 4)
    put(slice(None, None, 2), 3.9, x=i(0, 9, 5))
    put(t([0, 1]), 3, x=i(0, 9, 5))
    put(0, 1 + 2j, x=torch.zeros(3, dtype=torch.complex128))
    case("Tensor.__setitem__#list", f(3, 4), [0, 2], f(2, 4), inplace=True, call=lambda x, l, v: x.__setitem__(t(l), v))


# ---- norms

def norms():
    for x in (f(5), f(2, 3)):
        case("Torch.norm", x)
        case("Torch.norm", x, None)
        for p in (0, 1, 2, 3.5, INF, -INF):
            case("Torch.norm", x, p)
    case("Torch.norm", f(2, 3), "fro", 1)
    case("Torch.norm", f(2, 3), "fro", (0, 1), True)
    case("Torch.norm", f(2, 3, 2), p="fro", dim=[0, 2], keepdim=True)
    case("Torch.norm", f(3, 3), "nuc")
    case("Torch.norm", f(2, 3, 3), "nuc", (1, 2), True)
    case("Torch.norm", c(4, dtype=torch.float32), 2, 0, False, dtype=torch.float64)
    case("Torch.norm", c(4), out=torch.empty(0, dtype=torch.float64))
    case("Torch.norm", torch.randn(4, dtype=torch.complex128), 1)
    case("Tensor.norm", f(2, 3), 1, 0)
    case("Tensor.norm", f(2, 3), dim=(0, 1), keepdim=True)
    case("Tensor.norm", f(2, 3), 3, -1, True, torch.float64)
    case("Functional.normalize", f(2, 3))
    case("Functional.normalize", f(2, 3), 1, 0, 10.0)
    case("Functional.normalize", f(2, 3), p=INF, dim=(0, 1))
    case("Functional.normalize", c(2, 3), out=torch.empty(2, 3, dtype=torch.float64))
    case("Functional.local_response_norm", f(2, 4, 3), 3)
    case("Functional.local_response_norm", f(2, 4, 3, 2), 2, 0.1, 0.5, 2.0)
    case("Functional.local_response_norm", f(1, 3, 2, 2, 2), size=5, k=0.5)
    case("Functional.local_response_norm", f(0, 3, 2), 2)


# ---- losses

def losses():
    legacy = ({}, {"reduction": "none"}, {"reduction": "sum"}, {"size_average": False}, {"reduce": False}, {"size_average": True, "reduce": True})
    for kw in legacy:
        case("Functional.mse_loss", f(2, 3), f(2, 3), **kw)
        case("Functional.l1_loss", f(2, 3), f(2, 3), **kw)
        case("Functional.smooth_l1_loss", f(2, 3), f(2, 3), **kw)
        case("Functional.binary_cross_entropy", prob(2, 3), prob(2, 3, grad=False), **kw)
        case("Functional.kl_div", f(2, 3), prob(2, 3), **kw)
        case("Functional.cross_entropy", f(2, 3), i(0, 3, 2), **kw)
        case("Functional.nll_loss", f(2, 3), i(0, 3, 2), **kw)
        case("Functional.binary_cross_entropy_with_logits", f(2, 3), prob(2, 3, grad=False), **kw)
        case("Functional.cosine_embedding_loss", f(2, 3), f(2, 3), t([1, -1]), **kw)
        case("Functional.margin_ranking_loss", f(3), f(3), t([1.0, -1.0, 1.0], torch.float64), **kw)
        case("Functional.hinge_embedding_loss", f(3), t([1, -1, 1]), **kw)
        case("Functional.poisson_nll_loss", f(3), pos(3, grad=False), **kw)
        case("Functional.multi_margin_loss", f(2, 3), i(0, 3, 2), **kw)
        case("Functional.multilabel_margin_loss", f(2, 3), t([[1, 0, -1], [2, -1, 0]]), **kw)
        case("Functional.soft_margin_loss", f(3), t([1, -1, 1]), **kw)
        case("Functional.triplet_margin_loss", f(2, 3), f(2, 3), f(2, 3), **kw)
        case("Functional.multilabel_soft_margin_loss", f(2, 3), i(0, 2, 2, 3), **kw)
    for red in ("mean", "sum", "none"):
        case("Functional.mse_loss", f(2, 3), f(2, 3), reduction=red, weight=pos(2, 3))
        case("Functional.l1_loss", f(2, 3), f(2, 3), reduction=red, weight=pos(2, 3))
        case("Functional.huber_loss", f(2, 3), f(2, 3), red, 0.5)
        case("Functional.huber_loss", f(2, 3), f(2, 3), reduction=red, weight=pos(2, 3))
        case("Functional.gaussian_nll_loss", f(2, 3), f(2, 3), pos(2, 3), reduction=red)
        case("Functional.triplet_margin_with_distance_loss", f(2, 3), f(2, 3), f(2, 3), reduction=red)
    case("Functional.mse_loss", f(2, 3), f(3))
    case("Functional.mse_loss", f(2, 3), f(2, 3), None, None, "sum")
    case("Functional.l1_loss", f(2, 3), f(2, 1), None, False)
    case("Functional.smooth_l1_loss", f(2, 3), f(3), None, None, "mean", 0.0)
    case("Functional.smooth_l1_loss", f(2, 3), f(2, 3), beta=0.3)
    case("Functional.binary_cross_entropy", prob(2, 3), prob(2, 3, grad=False), pos(3, grad=False))
    case("Functional.binary_cross_entropy", prob(2, 3), prob(2, 3, grad=False), weight=pos(2, 1, grad=False), reduction="sum")
    for red in ("batchmean", "mean"):
        case("Functional.kl_div", f(4, 3), f(4, 3), reduction=red, log_target=True)
    case("Functional.kl_div", f(), prob(), reduction="batchmean")
    case("Functional.kl_div", f(4, 3), prob(4, 3), False, None, "batchmean")
    case("Functional.gaussian_nll_loss", f(2, 3), f(2, 3), 0.7)
    case("Functional.gaussian_nll_loss", f(2, 3), f(2, 3), pos(2), True)
    case("Functional.gaussian_nll_loss", f(2, 3), f(2, 3), pos(2, 1), full=True, eps=0.5, reduction="sum")
    case("Functional.multilabel_soft_margin_loss", f(2, 3), prob(2, 3), pos(3))
    case("Functional.multilabel_soft_margin_loss", f(3), i(0, 2, 3), None, None, None, "sum")
    case("Functional.triplet_margin_with_distance_loss", f(2, 3), f(2, 3), f(2, 3), swap=True, margin=0.5, distance_function=Null())
    case("Functional.cross_entropy", f(2, 3), prob(2, 3), pos(3, grad=False), label_smoothing=0.1)
    case("Functional.cross_entropy", f(2, 3, 2), i(0, 3, 2, 2), None, None, 1, None, "sum", 0.2)
    case("Functional.cross_entropy", input=f(2, 3), target=t([-100, 1]))
    case("Functional.nll_loss", f(2, 3, 2), i(0, 3, 2, 2), pos(3, grad=False), None, 1)
    case("Functional.binary_cross_entropy_with_logits", f(2, 3), prob(2, 3, grad=False), pos(2, 3, grad=False), None, None, "sum", pos(3, grad=False))
    case("Functional.cosine_embedding_loss", f(2, 3), f(2, 3), t([1, -1]), 0.2, None, None, "none")
    case("Functional.margin_ranking_loss", f(3), f(3), t([1, -1, 1]), 0.5, False)
    case("Functional.hinge_embedding_loss", f(3), t([1, -1, 1]), 0.5)
    case("Functional.poisson_nll_loss", pos(3), pos(3, grad=False), False, True, None, 1e-3, None, "sum")
    case("Functional.multi_margin_loss", f(2, 3), i(0, 3, 2), 2, 0.5, pos(3, grad=False))
    case("Functional.triplet_margin_loss", f(2, 3), f(2, 3), f(2, 3), 0.5, 1, 1e-3, True)
    lp = torch.log_softmax(f(5, 2, 4), 2).detach().requires_grad_()
    case("Functional.ctc_loss", lp, i(1, 4, 2, 3), (5, 5), (3, 2))
    case("Functional.ctc_loss", lp, i(1, 4, 2, 3), t([5, 5]), t([3, 2]), 0, "sum", True)
    case("Functional.ctc_loss", lp, i(1, 4, 5), t([5, 5]), t([3, 2]), reduction="none")


# ---- activations, dropout, norms of layers

def activations():
    for n in ("softmax", "log_softmax", "softmin"):
        for shape in ((), (3,), (2, 3), (2, 3, 2), (2, 3, 2, 2)):
            case("Functional." + n, f(*shape))
        case("Functional." + n, f(2, 3), -1)
        case("Functional." + n, f(2, 3), dim=0, dtype=torch.float32)
        case("Functional." + n, f(2, 3, dtype=torch.float32), 1, 3, torch.float64)
        case("Functional." + n, f(2, 3), 1, _stacklevel=5)
    case("Functional.softsign", f(5))
    case("Functional.tanhshrink", f(5))
    case("Functional.logsigmoid", f(5))
    for n, extra in (("relu", ()), ("relu6", ()), ("elu", (0.5,)), ("selu", ()), ("celu", (0.5,)), ("leaky_relu", (0.2,)), ("silu", ()), ("mish", ()),
                     ("hardswish", ()), ("hardsigmoid", ()), ("hardtanh", (-0.5, 0.5)), ("threshold", (0.1, 2.0)), ("rrelu", (0.2, 0.4, False))):
        case("Functional." + n, f(6), *extra)
        case("Functional." + n, f(6), *extra, False)
        case("Functional." + n, f(6), *extra, True, inplace=True)
    case("Functional.elu", f(6))
    case("Functional.leaky_relu", f(6), negative_slope=0.3)
    case("Functional.hardtanh", f(6), min_val=-0.1)
    case("Functional.rrelu", f(6))
    for n, shapes in (("dropout", ((4, 3),)), ("alpha_dropout", ((4, 3),)), ("feature_alpha_dropout", ((4, 3, 2),)), ("dropout1d", ((2, 3, 4), (3, 4))),
                      ("dropout2d", ((2, 3, 4), (2, 3, 2, 2))), ("dropout3d", ((2, 3, 2, 2, 2), (3, 2, 2, 2)))):
        for shape in shapes:
            case("Functional." + n, f(*shape), 0.5, True, seed=3)
            case("Functional." + n, f(*shape), 0.5, False)
            case("Functional." + n, f(*shape), p=0.3, training=True, seed=4)
            case("Functional." + n, c(*shape), 0.5, True, True, seed=5)
        case("Functional." + n, f(*shapes[0]), seed=6)
    case("Functional.batch_norm", f(3, 4), c(4), pos(4, grad=False))
    case("Functional.batch_norm", f(3, 4, 2), c(4), pos(4, grad=False), f(4), f(4), True, 0.3, 1e-3)
    case("Functional.batch_norm", f(3, 4), None, None, training=True)
    case("Functional.instance_norm", f(2, 3, 5))
    case("Functional.instance_norm", f(2, 3, 5), c(3), pos(3, grad=False), f(3), f(3), False, 0.2, 1e-2)
    case("Functional.instance_norm", f(2, 3, 5), c(3), pos(3, grad=False), weight=f(3))
    case("Functional.layer_norm", f(2, 3, 4), (3, 4), f(3, 4), f(3, 4), 1e-3)
    case("Functional.layer_norm", f(2, 4), [4])
    case("Functional.group_norm", f(2, 6, 3), 3, f(6), f(6))
    case("Functional.group_norm", f(2, 6), num_groups=2, eps=1e-2)


# ---- pooling

def pooling():
    for n, shape in ((1, (1, 2, 7)), (2, (1, 2, 7, 6)), (3, (1, 2, 5, 6, 4))):
        kernel = (3, 2, 2)[:n]
        for api in (f"Functional.max_pool{n}d", f"Functional.max_pool{n}d_with_indices"):
            case(api, f(*shape), 2)
            case(api, f(*shape), kernel, None, 1)
            case(api, f(*shape), kernel, stride=[1] * n, padding=0, dilation=1, ceil_mode=True)
            case(api, f(*shape), 2, 2, 0, 1, False, True)
            case(api, f(*shape), 2, return_indices=True)
        case(f"Functional.max_pool{n}d", f(*shape), kernel_size=2, stride=None)
        case(f"Functional.max_pool{n}d", f(*shape[1:]), 2)
        for api in (f"Functional.adaptive_max_pool{n}d", f"Functional.adaptive_max_pool{n}d_with_indices"):
            case(api, f(*shape), 2)
            case(api, f(*shape), [3, 2, 2][:n])
            case(api, f(*shape), 2, True)
            case(api, f(*shape), output_size=2, return_indices=True)
        if n > 1:
            case(f"Functional.adaptive_avg_pool{n}d", f(*shape), 2)
            case(f"Functional.adaptive_avg_pool{n}d", f(*shape), (None, 3, 2)[:n])
            case(f"Functional.adaptive_max_pool{n}d", f(*shape), (2, None, None)[:n])
            for api in (f"Functional.fractional_max_pool{n}d", f"Functional.fractional_max_pool{n}d_with_indices"):
                samples = short(torch.rand(1, 2, n, dtype=torch.float64))
                case(api, f(*shape), 2, (3, 2, 2)[:n], _random_samples=samples)
                case(api, f(*shape), 2, None, (0.6, 0.5, 0.7)[:n], True, samples)
                if n == 3:
                    case(api, f(*shape), 2, output_ratio=0.5, _random_samples=samples)
                case(api, f(*shape), 2, output_size=2, seed=7)
                case(api, f(*shape[1:]), 2, output_size=2, seed=8)
        pool = getattr(F, f"max_pool{n}d")
        x = c(*shape)
        pooled, where = pool(x, 2, return_indices=True)
        case(f"Functional.max_unpool{n}d", pooled.requires_grad_(), where, 2)
        case(f"Functional.max_unpool{n}d", pooled, where, [2] * n, [2] * n, 0, shape)
        case(f"Functional.max_unpool{n}d", pooled, where, 2, output_size=list(shape[2:]))
        case(f"Functional.max_unpool{n}d", pooled[0].detach().requires_grad_(), where[0], 2, 2, (0,) * n)
        overlapping, where = pool(c(1, 2, *[5] * n), 3, 2, 1, return_indices=True)
        case(f"Functional.max_unpool{n}d", overlapping, where, 3, 2, 1)
        for p in (1, 2, 3.0, INF, -INF):
            case(f"Functional.lp_pool{n}d", pos(*shape), p, 2)
        case(f"Functional.lp_pool{n}d", f(*shape), 2.0, 3 if n == 1 else kernel, 1 if n == 1 else (1,) * n, True)
        case(f"Functional.lp_pool{n}d", pos(*shape), norm_type=1.5, kernel_size=2, stride=None)
    case("Functional.unfold", f(1, 2, 4, 5), 2)
    case("Functional.unfold", f(1, 2, 4, 5), (2, 3), 1, (1, 0), 2)
    case("Functional.fold", f(1, 8, 4), (4, 4), 2, stride=2)
    case("Functional.fold", f(1, 8, 12), (4, 5), (2, 2), 1, 0, 1)


# ---- interpolation

def interpolation():
    shapes = {1: (1, 2, 5), 2: (1, 2, 5, 4), 3: (1, 2, 3, 4, 3)}
    for n, shape in shapes.items():
        linear = {1: "linear", 2: "bilinear", 3: "trilinear"}[n]
        for mode in ("nearest", "nearest-exact", "area", linear) + (("bicubic",) if n == 2 else ()):
            aligns = (None, True) if mode in (linear, "bicubic") else (None,)
            for align in aligns:
                case("Functional.interpolate", f(*shape), [7, 3, 5][:n], None, mode, align)
                case("Functional.interpolate", f(*shape), scale_factor=1.7, mode=mode, align_corners=align)
                case("Functional.interpolate", f(*shape), scale_factor=[1.5, 0.7, 2.3][:n], mode=mode, align_corners=align, recompute_scale_factor=True)
        case("Functional.interpolate", f(*shape), 6)
        case("Functional.interpolate", f(*shape), scale_factor=2)
        case("Functional.upsample", f(*shape), None, 2, "nearest")
        case("Functional.upsample", f(*shape), size=[4] * n, mode=linear, align_corners=True)
        case("Functional.upsample_nearest", f(*shape), scale_factor=2)
        case("Functional.upsample_nearest", f(*shape), 3)
    for mode in ("bilinear", "bicubic"):
        case("Functional.interpolate", f(1, 2, 6, 5), (3, 2), mode=mode, antialias=True)
        case("Functional.interpolate", f(1, 2, 6, 5), None, 0.6, mode, False, None, True)
    case("Functional.interpolate", f(1, 2, 6, 5), (3, 2), mode="lanczos", antialias=True, needs="_upsample_lanczos2d_aa")
    case("Functional.upsample_bilinear", f(1, 2, 3, 3), (5, 4))
    case("Functional.upsample_bilinear", f(1, 2, 3, 3), scale_factor=2)
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            case("Functional.grid_sample", f(1, 2, 4, 4), f(1, 3, 3, 2), mode, padding, True)
    case("Functional.grid_sample", f(1, 2, 4, 4), f(1, 3, 3, 2))
    case("Functional.grid_sample", f(1, 2, 3, 3, 3), f(1, 2, 2, 2, 3), padding_mode="border", align_corners=None)
    case("Functional.affine_grid", f(1, 2, 3), [1, 2, 3, 3])
    case("Functional.affine_grid", f(1, 2, 3), torch.Size([1, 2, 3, 3]), True)
    case("Functional.affine_grid", f(1, 3, 4), (1, 2, 2, 3, 2), align_corners=None)


# ---- attention

def attention():
    E, H, L, S, N = 4, 2, 3, 5, 2
    names = list(inspect.signature(F.multi_head_attention_forward).parameters)

    def mha(q, k, v, in_w=True, in_b=True, bias_k=None, bias_v=None, zero=False, **kw):
        e = q.shape[-1]
        args = [q, k, v, e, H, f(3 * e, e) if in_w else None, f(3 * e) if in_b else None, bias_k, bias_v, zero, 0.0, f(e, e), f(e)]
        assert names[9] == "add_zero_attn"
        case("Functional.multi_head_attention_forward", *args, **kw)

    def qkv():
        return f(L, N, E), f(S, N, E), f(S, N, E)

    float2 = c(L, S).masked_fill(c(L, S) > 1, -INF)
    bool2 = torch.ones(L, S, dtype=torch.bool).triu(2)
    bool3 = bool2.expand(N * H, L, S).contiguous()
    padding = t([[False, False, False, False, True], [False, False, True, True, True]])
    for need in (True, False):
        mha(*qkv(), need_weights=need)
        mha(*qkv(), in_b=False, need_weights=need)
        mha(*qkv(), need_weights=need, attn_mask=float2)
        mha(*qkv(), need_weights=need, attn_mask=bool2)
        mha(*qkv(), need_weights=need, attn_mask=bool3)
        mha(*qkv(), need_weights=need, attn_mask=c(N * H, L, S))
        mha(*qkv(), need_weights=need, key_padding_mask=padding)
        mha(*qkv(), need_weights=need, key_padding_mask=c(N, S), attn_mask=float2)
        mha(*qkv(), need_weights=need, key_padding_mask=padding, attn_mask=bool2, is_causal=True)
        mha(*qkv(), need_weights=need, attn_mask=torch.ones(L, S, dtype=torch.bool).triu(1), is_causal=True)
        mha(*qkv(), zero=True, need_weights=need)
        mha(*qkv(), zero=True, need_weights=need, key_padding_mask=padding, attn_mask=float2)
        mha(*qkv(), bias_k=f(1, 1, E), bias_v=f(1, 1, E), need_weights=need)
        mha(*qkv(), bias_k=f(1, 1, E), bias_v=f(1, 1, E), zero=True, need_weights=need, key_padding_mask=padding, attn_mask=bool2)
        mha(f(L, N, E), f(S, N, 3), f(S, N, 6), in_w=False, need_weights=need, use_separate_proj_weight=True,
            q_proj_weight=f(E, E), k_proj_weight=f(E, 3), v_proj_weight=f(E, 6))
        mha(f(L, N, E), f(S, N, 3), f(S, N, 6), in_w=False, in_b=False, need_weights=need, use_separate_proj_weight=True,
            q_proj_weight=f(E, E), k_proj_weight=f(E, 3), v_proj_weight=f(E, 6))
        mha(f(L, N, E), f(S, N, E), f(S, N, E), need_weights=need, static_k=f(N * H, 4, E // H), static_v=f(N * H, 4, E // H))
        mha(f(L, E), f(S, E), f(S, E), need_weights=need)
        mha(f(L, E), f(S, E), f(S, E), need_weights=need, key_padding_mask=padding[0], attn_mask=float2)
        mha(f(L, E), f(S, E), f(S, E), need_weights=need, attn_mask=c(H, L, S))
    mha(*qkv(), average_attn_weights=False)
    mha(f(L, E), f(S, E), f(S, E), average_attn_weights=False)
    q, k, v = qkv()
    case("Functional.multi_head_attention_forward", q, k, v, E, H, f(3 * E, E), f(3 * E), None, None, False, 0.5, f(E, E), f(E), False)
    case("Functional.multi_head_attention_forward", q, k, v, E, H, f(3 * E, E), f(3 * E), None, None, False, 0.5, f(E, E), f(E), True, seed=9)


# ---- embedding

def embedding():
    case("Functional.embedding", i(0, 6, 2, 3), f(6, 4))
    case("Functional.embedding", i(0, 6, 2, 3), f(6, 4), 2)
    case("Functional.embedding", t([0, 4, 5]), f(6, 4), -2)
    case("Functional.embedding", t([0, 4, 0]), f(6, 4), padding_idx=0, scale_grad_by_freq=True)
    case("Functional.embedding", t([0, 4, 4]), f(6, 4), None, 1.0)
    case("Functional.embedding", t([[0, 4], [1, 1]]).t(), f(6, 4), max_norm=0.5, norm_type=1.0)
    case("Functional.embedding", t([0, 4, 4]), f(6, 4), sparse=True)
    for mode in ("sum", "mean", "max"):
        case("Functional.embedding_bag", i(0, 6, 5), f(6, 4), t([0, 2]), mode=mode)
        case("Functional.embedding_bag", i(0, 6, 2, 3), f(6, 4), mode=mode)
        case("Functional.embedding_bag", i(0, 6, 5), f(6, 4), t([0, 2, 5]), mode=mode, include_last_offset=True)
        case("Functional.embedding_bag", t([0, 1, 1, 5]), f(6, 4), t([0, 2]), mode=mode, padding_idx=1)
    case("Functional.embedding_bag", i(0, 6, 5), f(6, 4), t([0, 2]), 1.0, 2.0)
    case("Functional.embedding_bag", i(0, 6, 2, 3), f(6, 4), None, None, 2.0, True)
    case("Functional.embedding_bag", i(0, 6, 5), f(6, 4), t([0, 2]), mode="sum", per_sample_weights=f(5))
    case("Functional.embedding_bag", i(0, 6, 2, 3), f(6, 4), mode="sum", per_sample_weights=f(2, 3))
    case("Functional.embedding_bag", f(6, 4), i(0, 6, 5), t([0, 2]))
    case("Functional.embedding_bag", i(0, 6, 5, dtype=torch.int32), f(6, 4), t([0, 2], torch.int32))


# ---- torch.functional

def functional():
    x = t([3, 1, 1, 2, 3, 3])
    for kw in ({}, {"return_inverse": True}, {"return_counts": True}, {"return_inverse": True, "return_counts": True}, {"dim": 0}):
        for api in ("Torch.unique", "Tensor.unique", "Torch.unique_consecutive", "Tensor.unique_consecutive"):
            case(api, x, **kw)
    case("Torch.unique", t([[1, 2], [1, 2], [0, 3]]), True, True, True, 0)
    case("Torch.unique", t([[1, 2], [1, 2]]), dim=-1, sorted=False)
    case("Torch.unique", x, True, True)
    case("Torch.unique", x, True, False, True)
    case("Torch.unique", x, False, return_counts=True)
    case("Tensor.unique", x, True, True)
    case("Torch.unique_consecutive", t([[1, 2], [1, 2], [0, 3]]), True, True, 0)
    # Torch.unique_consecutive chooses its results by places that are not those of its parameters.
    case("Torch.unique_consecutive", x, True)
    case("Torch.unique_consecutive", x, False, True)
    case("Torch.unique_consecutive", x, True, False)
    case("Torch.unique_consecutive", x, False, False, 0)
    case("Torch.unique_consecutive", x, True, return_counts=True)
    case("Torch.unique_consecutive", x, True, return_counts=False)
    case("Torch.unique_consecutive", x, False, True, dim=0)
    case("Tensor.unique_consecutive", x, True)
    case("Tensor.unique_consecutive", x, False, True)
    case("Torch.einsum", "ij,jk->ik", f(2, 3), f(3, 4))
    case("Torch.einsum", "ij,jk", [f(2, 3), f(3, 4)])
    case("Torch.einsum", "...ii->...i", f(2, 3, 3))
    case("Torch.einsum", f(2, 3), [0, 1], f(3, 4), [1, 2], [0, 2])
    case("Torch.einsum", f(2, 3), [0, 27], f(3, 4), [27, 51])
    case("Torch.einsum", f(5, 2, 3), [..., 0, 1], f(5, 3, 4), [..., 1, 2], [..., 2, 0])
    case("Torch.einsum", f(3), [0], [])
    case("Torch.tensordot", f(2, 3, 4), f(3, 4, 2))
    case("Torch.tensordot", f(2, 3), f(3, 2), 1)
    case("Torch.tensordot", f(2, 3), f(2, 2), 0)
    case("Torch.tensordot", f(2, 3), f(3, 2), dims=([1, 0], [0, 1]))
    case("Torch.tensordot", f(2, 3), f(3, 2), t([[1], [0]]))
    case("Torch.tensordot", f(2, 3, 2), f(3, 2, 2), t([[1, 2], [0, 1]]))
    case("Torch.tensordot", f(2, 3), f(3, 2), t(1))
    case("Torch.tensordot", c(2, 3), c(3, 2), dims=1, out=torch.empty(2, 2, dtype=torch.float64))
    for mode in ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
        case("Torch.cdist", f(3, 2), f(4, 2), 2.0, mode)
    case("Torch.cdist", f(3, 2), f(4, 2), p=1)
    case("Torch.cdist", f(3, 2), f(4, 2))
    for api, kw in (("Torch.split", "split_size_or_sections"), ("Tensor.split", "split_size")):
        case(api, f(5, 2), 2)
        case(api, f(5, 2), (1, 4))
        case(api, f(2, 5), [2, 3], -1)
        case(api, f(2, 5), **{kw: [2, 3]}, dim=1)
        case(api, f(2, 5), **{kw: 3}, dim=1)
        case(api, f(5), t(2))
    for api in ("Torch.nonzero", "Tensor.nonzero"):
        case(api, t([[0, 1], [2, 0]]))
        case(api, t([[0, 1], [2, 0]]), as_tuple=True)
        case(api, t([[0, 1], [2, 0]]), as_tuple=False)
    case("Torch.nonzero", t([0, 1]), out=torch.empty(0, dtype=torch.int64))
    case("Torch.unravel_index", t([[5, 0], [11, 7]]), (3, 4))
    case("Torch.unravel_index", t([5, 23]), [2, 3, 4])
    case("Torch.unravel_index", t(3), 5)
    case("Torch.unravel_index", t([2], torch.int32), torch.Size([4, 1]))
    a = torch.eye(3, dtype=torch.float64) * 3 + c(3, 3)
    case("Torch.lu", a)
    case("Torch.lu", a.clone().requires_grad_(), True, True)
    case("Torch.lu", a, out=(torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.int32)))
    case("Tensor.lu", a.clone().requires_grad_())
    case("Tensor.lu", a, get_infos=True)
    window = torch.hann_window(8, dtype=torch.float64)
    for api in ("Torch.stft", "Tensor.stft"):
        case(api, f(20), 8, return_complex=True, window=window)
        case(api, f(2, 20), 8, 4, 6, torch.ones(6, dtype=torch.float64), True, "constant", True, True, True)
        case(api, f(20), 8, 3, center=False, onesided=False, return_complex=True, window=window)
    case("Torch.stft", f(20), n_fft=8, center=False, return_complex=True, window=torch.ones(8, dtype=torch.float64), align_to_window=True, hop_length=2,
         needs="stft align_to_window")
    for n in ("atleast_1d", "atleast_2d", "atleast_3d"):
        case("Torch." + n, f())
        case("Torch." + n, f(2), f())
        case("Torch." + n, [f(2), f(2, 2)])
        case("Torch." + n, [f(2)])
    case("Torch.block_diag", f(2, 2), f(1))
    case("Torch.block_diag", f(2, 2))
    case("Torch.broadcast_tensors", f(3, 1), f(1, 2))
    case("Torch.cartesian_prod", t([1, 2]), t([3, 4, 5]))
    case("Torch.cartesian_prod", t([1, 2]))
    case("Torch.chain_matmul", f(2, 3), f(3, 4), f(4, 2))
    case("Torch.chain_matmul", c(2, 3), c(3, 4), out=torch.empty(2, 4, dtype=torch.float64))
    case("Torch.meshgrid", f(2), f(3), indexing="xy")
    case("Torch.meshgrid", [f(2), f(3)])
    case("Torch.meshgrid", f(2), f(3), indexing=None)
    case("Torch.broadcast_shapes", (3, 1), (1, 2), 2)
    case("Torch.broadcast_shapes", [2], torch.Size([4, 1]))
    for n in ("spmm", "dsmm", "hsmm"):
        case("Torch." + n, f(2, 3), f(3, 2), call=torch.mm)


# ---- methods, factories

def methods():
    case("Tensor.__rdiv__", pos(3), 2)
    case("Tensor.__rtruediv__", i(1, 9, 3), 2)
    case("Tensor.__rtruediv__", pos(3), 2.5)
    case("Tensor.__rtruediv__", t([1.0, 3.0], torch.float16), 0.1)
    case("Tensor.__len__", c(3, 2))
    case("Tensor.__bool__", t([True]))
    case("Tensor.__nonzero__", t(0.0), call=bool)
    case("Tensor.__contains__", t([1, 2, 3]), 2)
    case("Tensor.__contains__", t([1.0, 2.0]), 2.5)
    case("Tensor.__contains__", t([1, 2, 3]), t([4, 5, 3]))
    case("Tensor.__reversed__", f(3, 2))
    case("Tensor.__reversed__", f())
    case("Tensor.__iter__", f(3, 2), call=lambda x: list(x))
    case("Tensor.item", t(2.5))
    case("Tensor.__float__", t(2))
    case("Tensor.__int__", t(-2.75))
    case("Tensor.__int__", t(True))
    case("Tensor.__index__", t(7))
    case("Tensor.__complex__", t(1 + 2j))
    case("Tensor.tolist", t([[1, 2], [3, 4]]))
    case("Tensor.tolist", t([0.5, INF], torch.float64))
    case("Tensor.tolist", t(True))
    case("Tensor.numpy", c(3))
    case("Tensor.__array__", c(3))
    case("Tensor.size", c(3, 2))
    case("Tensor.size", c(3, 2), -1)
    case("Tensor.size", c(3, 2), dim=0)
    case("Tensor.stride", c(3, 2))
    case("Tensor.stride", c(3, 2), 0)
    case("Tensor.dim", c(3, 2))
    case("Tensor.ndimension", c())
    case("Tensor.numel", c(3, 2))
    case("Tensor.nelement", c(3, 2))
    case("Tensor.element_size", c(3))
    case("Tensor.is_contiguous", c(3))
    case("Tensor.is_contiguous", c(1, 2, 2, 2), memory_format=torch.channels_last)
    case("Torch.is_tensor", c(3))
    case("Torch.is_tensor", 3)
    case("Torch.numel", c(3, 2))
    case("Torch.tensor", 3)
    case("Torch.tensor", True)
    case("Torch.tensor", 2.5)
    case("Torch.tensor", 1 + 2j)
    case("Torch.tensor", [])
    case("Torch.tensor", [[], []])
    case("Torch.tensor", [[1, 2], [3, 4]])
    case("Torch.tensor", [1, 2.5])
    case("Torch.tensor", [True, False])
    case("Torch.tensor", [True, 2])
    case("Torch.tensor", [1, 2j])
    case("Torch.tensor", [1.1, INF, math.nan], dtype=torch.float16)
    case("Torch.tensor", [[1.7], [-2.2]], dtype=torch.int32)
    case("Torch.tensor", [0, 2], dtype=torch.bool)
    case("Torch.tensor", (1, 2), dtype=torch.complex64)
    case("Torch.tensor", [1, 2], dtype=torch.bfloat16, device=torch.device("cpu"))
    case("Torch.tensor", [t(1), t(2)])
    case("Torch.tensor", [[t(1.5), 2], [3, t(4.5)]])
    case("Torch.tensor", 2 ** 62 + 1)
    case("Torch.tensor", f(2))
    case("Torch.tensor", [2 ** 53 + 1, 0.5], dtype=torch.float64)
    case("Torch.as_tensor", [1, 2.5])
    case("Torch.as_tensor", f(2))
    case("Torch.as_tensor", f(2), dtype=torch.float32)
    case("Torch.as_tensor", [1, 2], dtype=torch.float32)
    case("Torch.asarray", [1, 2])
    case("Torch.asarray", f(2), dtype=torch.float32, requires_grad=False)
    case("Torch.asarray", c(2), requires_grad=True)
    case("Torch.from_numpy", np.array([1.0, 2.0]))
    case("Tensor.new_tensor", c(2, dtype=torch.float16), [1, 2.1])
    case("Tensor.new_tensor", t([1, 2]), [[1.5, 2.5]])
    case("Tensor.new_tensor", t([1, 2]), [[1.5, 2.5]], dtype=torch.float64)


def linear_cross_entropy():
    if not hasattr(F, "linear_cross_entropy"):
        return
    case("Functional.linear_cross_entropy", f(3, 4), f(5, 4), i(0, 5, 3))
    case("Functional.linear_cross_entropy", f(4), f(5, 4), i(0, 5), linear_bias=f(5), reduction="sum")
    case("Functional.linear_cross_entropy", f(3, 4), f(5, 2, 4), i(0, 5, 3, 2), linear_bias=f(5, 2), weight=pos(5, grad=False), ignore_index=1, label_smoothing=0.1)


def main():
    for family in (casts, indexing, norms, losses, activations, pooling, interpolation, attention, embedding, functional, methods,
                   linear_cross_entropy):
        torch.manual_seed(0)
        family()
    with open(sys.argv[1], "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(x, separators=(",", ":"), allow_nan=False) for x in cases) + "\n]\n")
    print(len(cases), "cases,", len({x["api"] for x in cases}), "functions")


if __name__ == "__main__":
    main()
