#!/usr/bin/env python3
"""Writes tests/data/ops/refusals.json: calls of torch.nn.functional that Python refuses before it calls an operator, with its
words, and calls beside them that it takes.

    make_refusal_cases.py OUT

Needs Python with torch (made with 2.13). Tensors are written by dtype and shape: the checks look at nothing else.
"""
import json
import sys
import warnings

import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
cases = []


def t(*shape, dtype=torch.float32):
    return torch.zeros(shape, dtype=dtype)


def i(*shape):
    return t(*shape, dtype=torch.int64)


def encode(v):
    if isinstance(v, torch.Tensor):
        return {"tensor": str(v.dtype), "shape": list(v.shape)}
    if isinstance(v, torch.Size):
        return {"size": list(v)}
    if isinstance(v, (list, tuple)):
        return [encode(x) for x in v]
    return v


def case(function, *args, **kwargs):
    given = {"function": function, "args": encode(args), "kwargs": {k: encode(v) for k, v in kwargs.items()}}
    try:
        getattr(F, function)(*args, **kwargs)
        given["refused"] = None
    except Exception as error:
        given["refused"] = " ".join(f"{type(error).__name__}: {error}".split())
    cases.append(given)


def norms():
    for shape in ((1, 3), (1, 3, 1), (1, 3, 1, 1), (2, 3), (1, 3, 2)):
        case("batch_norm", t(*shape), t(3), t(3), training=True)
    case("batch_norm", t(1, 3), t(3), t(3))
    case("batch_norm", t(1, 3), None, None, None, None, True)
    case("batch_norm", t(2, 3), t(3), t(3), training=True, eps=0.0)
    case("batch_norm", t(2, 3), t(3), t(3), training=True, eps=-1e-05)
    case("batch_norm", t(2, 3), t(3), t(3), eps=-0.5)
    for shape in ((2, 3, 1), (2, 3, 1, 1), (1, 3, 2)):
        case("instance_norm", t(*shape))
    case("instance_norm", t(2, 3, 1), t(3), t(3), use_input_stats=False)
    for shape, groups in (((1, 4), 4), ((1, 4), 2), ((2, 4), 4), ((4,), 2), ((1, 2, 1), 2), ((1, 2, 5), 2)):
        case("group_norm", t(*shape), groups)
    case("local_response_norm", t(2, 3), 2)
    case("local_response_norm", t(2, 3, 4), 2)


def elementwise():
    for function in "dropout alpha_dropout feature_alpha_dropout dropout1d dropout2d dropout3d".split():
        for p in (-0.1, 1.5, 2, -1, 1e-06):
            case(function, t(2, 3, 4) if function != "dropout3d" else t(2, 3, 4, 5), p)
    case("dropout1d", t(3))
    case("dropout1d", t(2, 3, 4, 5), 0.0)
    case("glu", t())
    case("glu", t(4))
    case("hardtanh", t(3), 1.0, -1.0)
    case("hardtanh", t(3), max_val=-2.0)
    case("hardtanh", t(3), -1, 1)


def embeddings():
    for padding in (5, 4, -5, -6, 0):
        case("embedding", i(3), t(5, 2), padding)
    case("embedding", i(3), t(5, 2), padding_idx=7)
    case("embedding_bag", i(4), t(5, 2))
    case("embedding_bag", i(4), t(5, 2), i(2))
    case("embedding_bag", i(4), t(5, 2), i(2, 1))
    case("embedding_bag", i(2, 2), t(5, 2))
    case("embedding_bag", i(2, 2), t(5, 2), i(2))
    case("embedding_bag", i(2, 2, 2), t(5, 2))
    case("embedding_bag", i(4), t(5), i(2))
    case("embedding_bag", i(4), t(5, 2), i(2), mode="maximum")
    case("embedding_bag", i(4), t(5, 2), i(2), mode="max", scale_grad_by_freq=True)
    case("embedding_bag", i(4), t(5, 2), i(2), mode="max", sparse=True)
    case("embedding_bag", i(4), t(5, 2), i(2), per_sample_weights=t(4))
    case("embedding_bag", i(4), t(5, 2), i(2), per_sample_weights=t(3), mode="sum")
    case("embedding_bag", i(4), t(5, 2), i(2), per_sample_weights=t(4), mode="sum")


def losses():
    for function in "l1_loss mse_loss smooth_l1_loss huber_loss".split():
        case(function, t(2, 3), t(2, 3), reduction="average")
        case(function, t(2, 3), t(3))
    for function in "binary_cross_entropy binary_cross_entropy_with_logits".split():
        case(function, t(2, 3), t(2, 3))
        case(function, t(2, 3), t(3))
        case(function, t(2, 3), t(3), reduction="average")
        case(function, t(2, 3), t(2, 3), size_average=False, reduction="average")
    for function in "l1_loss mse_loss huber_loss".split():
        case(function, t(2, 3), t(2, 3), weight=t(3))
        case(function, t(2, 3), t(2, 3), weight=t(2, 3))
        case(function, t(2, 3), t(2, 3), weight=t(2, 3), reduction="average")
    for function in "kl_div poisson_nll_loss soft_margin_loss multilabel_soft_margin_loss hinge_embedding_loss".split():
        case(function, t(2, 3), t(2, 3), reduction="average")
        case(function, t(2, 3), t(2, 3), reduction="sum")
    case("kl_div", t(2, 3), t(2, 3), reduction="batchmean")
    case("poisson_nll_loss", t(2, 3), t(2, 3), reduction="batchmean")
    case("multilabel_margin_loss", t(2, 3), i(2, 3), reduction="average")
    case("nll_loss", t(2, 3), i(2), reduction="average")
    case("cross_entropy", t(2, 3), i(2), reduction="average")
    case("cross_entropy", t(2, 3), i(2), reduction="elementwise_mean")
    case("cosine_embedding_loss", t(2, 3), t(2, 3), i(2), reduction="average")
    case("ctc_loss", t(5, 2, 4), i(2, 2), i(2), i(2), reduction="average")
    case("margin_ranking_loss", t(2, 1), t(2), t(2))
    case("margin_ranking_loss", t(2), t(2), t(2, 1))
    case("margin_ranking_loss", t(2), t(2), t(1))
    case("multi_margin_loss", t(2, 3), i(2), p=3)
    case("multi_margin_loss", t(2, 3), i(2), p=2)
    case("multi_margin_loss", t(2, 3), i(2), weight=t(3, 1))
    case("triplet_margin_loss", t(2, 3), t(2, 3), t(2, 3), margin=0)
    case("triplet_margin_loss", t(2, 3), t(2, 3), t(2, 3), -1.5)
    case("triplet_margin_loss", t(2, 3), t(2, 3), t(2, 3), 0.5)
    case("triplet_margin_with_distance_loss", t(2, 3), t(2, 3), t(2, 3), margin=-1.0)
    case("triplet_margin_with_distance_loss", t(2, 3), t(3), t(2, 3))
    case("triplet_margin_with_distance_loss", t(2, 3), t(2, 3), t(2, 3), reduction="average")
    for shape in ((2, 3), (2,), (2, 1), (3,), (1, 3), (1, 1), (2, 3, 1)):
        case("gaussian_nll_loss", t(2, 3), t(2, 3), t(*shape))
    case("gaussian_nll_loss", t(2, 3), t(2, 3), -1.0)
    case("gaussian_nll_loss", t(2, 3), t(2, 3), t(2, 3), reduction="average")
    case("linear_cross_entropy", t(2, 3), t(4, 5), i(2))
    case("linear_cross_entropy", t(2, 3), t(3), i(2))
    case("linear_cross_entropy", t(2, 3, 4), t(4, 4), i(2))
    case("linear_cross_entropy", t(2, 3), t(4, 3), i(2), linear_bias=t(3))
    case("linear_cross_entropy", t(2, 3), t(4, 3), i(2))


def pools():
    for rank in (2, 3):
        for function in ("adaptive_avg_pool", "adaptive_max_pool"):
            case(f"{function}{rank}d", t(*[3] * rank), (2,) * rank)
            case(f"{function}{rank}d", t(*[3] * (rank + 1)), (2,) * rank)
        case(f"fractional_max_pool{rank}d", t(1, *[4] * rank), 2)
        case(f"fractional_max_pool{rank}d", t(1, *[4] * rank), 2, output_size=2)
        case(f"fractional_max_pool{rank}d_with_indices", t(1, *[4] * rank), 2)
    case("fractional_max_pool2d", t(1, 4, 4), 2, output_ratio=(0.5, 0.5, 0.5))
    case("fractional_max_pool2d", t(1, 4, 4), 2, output_ratio=(0.5, 0.5))
    for size in ((4,), (5,), (6,), (2,), (1,), torch.Size([1, 1, 9]), torch.Size([1, 1, 5]), (1, 4)):
        case("max_unpool1d", t(1, 1, 2), i(1, 1, 2), 2, output_size=size)
    case("max_unpool1d", t(1, 1, 2), i(1, 1, 2), 2, 1, 3)
    for size in ((4, 4), (4, 9), torch.Size([1, 1, 4, 4]), (4,), None):
        case("max_unpool2d", t(1, 1, 2, 2), torch.arange(4).reshape(1, 1, 2, 2), 2, output_size=size)
    case("max_unpool3d", t(1, 1, 2, 2, 2), torch.arange(8).reshape(1, 1, 2, 2, 2), 2, output_size=(4, 4, 8))
    case("max_unpool3d", t(1, 1, 2, 2, 2), torch.arange(8).reshape(1, 1, 2, 2, 2), (2, 2, 2))


def resampling():
    image = t(1, 1, 4, 4)
    for mode in ("nearest", "nearest-exact", "area"):
        case("interpolate", image, 2, mode=mode, align_corners=False)
        case("interpolate", image, 2, mode=mode, align_corners=True)
        case("interpolate", image, 2, mode=mode)
    case("interpolate", image, 2, 2.0)
    case("interpolate", image)
    case("interpolate", image, (2, 2, 2))
    case("interpolate", image, (2,))
    case("interpolate", image, (2.5, 2))
    case("interpolate", image, scale_factor=(0.5, 0.5, 2.0))
    case("interpolate", image, scale_factor=(0.5, 2))
    case("interpolate", image, 2, recompute_scale_factor=True)
    case("interpolate", image, scale_factor=0.5, recompute_scale_factor=True)
    case("interpolate", image, 2, mode="nearest", antialias=True)
    case("interpolate", t(1, 1, 4), 2, mode="linear", antialias=True)
    case("interpolate", image, 2, mode="bilinear", antialias=True)
    for shape in ((1, 1, 4), (1, 1, 4, 4), (1, 1, 4, 4, 4)):
        for mode in "linear bilinear trilinear bicubic lanczos cubic".split():
            case("interpolate", t(*shape), 2, mode=mode)
    case("interpolate", t(1, 4), 2)
    case("interpolate", image, 2, mode="lanczos", align_corners=True)
    case("interpolate", t(1, 1, 4), 2, mode="nearest")
    case("upsample", image, 2, mode="nearest", align_corners=True)
    case("upsample", image, 2)
    case("upsample_nearest", image, 2, 2)
    case("upsample_nearest", image)
    case("upsample_bilinear", t(1, 1, 4), 2)
    case("upsample_bilinear", image, 2)
    case("grid_sample", image, t(1, 2, 2, 2), "linear")
    case("grid_sample", image, t(1, 2, 2, 2), padding_mode="mirror")
    case("grid_sample", image, t(1, 2, 2, 2), "nearest", "border")
    case("affine_grid", t(1, 2, 3), (1, 1, 4, 4))
    case("affine_grid", i(1, 2, 3), (1, 1, 4, 4))
    case("affine_grid", t(1, 3, 4), (1, 1, 4, 4))
    case("affine_grid", t(2, 3), torch.Size([1, 1, 4, 4]))
    case("affine_grid", t(1, 2, 3), (1, 1, 4, 4, 4))
    case("affine_grid", t(1, 2, 3), (1, 1, 4))
    case("affine_grid", t(1, 2, 3), (1, 1, 4, 0))


def attention():
    def mha(query=(5, 2, 4), key=(6, 2, 4), value=None, embed=4, heads=2, bias_k=None, bias_v=None, zero=False, in_proj=t(12, 4), **kwargs):
        case("multi_head_attention_forward", t(*query), t(*key), t(*(value or key)), embed, heads, in_proj, t(12), bias_k, bias_v, zero, 0.0,
             t(4, 4), t(4), **kwargs)

    mha()
    mha(query=(5, 4), key=(6, 4))
    mha(query=(4,))
    mha(query=(5, 2, 4), key=(6, 4))
    mha(query=(5, 4), key=(6, 2, 4))
    mha(key=(6, 2, 4), value=(7, 2, 4))
    mha(embed=8)
    mha(heads=3)
    mha(key_padding_mask=t(2, 6, dtype=torch.bool))
    mha(key_padding_mask=t(6, dtype=torch.bool))
    mha(key_padding_mask=t(3, 6, dtype=torch.bool))
    mha(key_padding_mask=t(2, 5, dtype=torch.bool))
    mha(key_padding_mask=t(2, 5, dtype=torch.bool), zero=True)
    mha(key_padding_mask=t(2, 5, dtype=torch.bool), bias_k=t(1, 1, 4), bias_v=t(1, 1, 4))
    mha(key_padding_mask=i(2, 6))
    mha(query=(5, 4), key=(6, 4), key_padding_mask=t(1, 6, dtype=torch.bool))
    mha(query=(5, 4), key=(6, 4), key_padding_mask=t(5, dtype=torch.bool))
    mha(attn_mask=t(5, 6))
    mha(attn_mask=t(6, 5))
    mha(attn_mask=i(5, 6))
    mha(attn_mask=t(4, 5, 6))
    mha(attn_mask=t(2, 5, 6))
    mha(attn_mask=t(5))
    mha(query=(5, 4), key=(6, 4), attn_mask=t(5))
    mha(query=(5, 4), key=(6, 4), attn_mask=t(3, 5, 6))
    mha(query=(5, 4), key=(6, 4), attn_mask=t(2, 5, 6))
    mha(is_causal=True)
    mha(is_causal=True, attn_mask=t(6, 5), need_weights=False)
    mha(is_causal=True, attn_mask=t(6, 5))
    mha(bias_k=t(1, 1, 4))
    mha(bias_v=t(1, 1, 4))
    mha(bias_k=t(1, 1, 4), bias_v=t(1, 1, 4), static_k=t(4, 6, 2))
    mha(bias_k=t(1, 1, 4), bias_v=t(1, 1, 4), static_v=t(4, 6, 2))
    mha(static_k=t(3, 6, 2))
    mha(static_k=t(4, 6, 3))
    mha(static_v=t(3, 6, 2))
    mha(static_v=t(4, 6, 3))
    mha(static_k=t(4, 6, 2), static_v=t(4, 6, 2))
    mha(in_proj=None)
    weights = {"use_separate_proj_weight": True, "q_proj_weight": t(4, 4), "k_proj_weight": t(4, 3), "v_proj_weight": t(4, 3)}
    mha(key=(6, 2, 3), in_proj=None, **weights)
    mha(key=(6, 2, 3), value=(7, 2, 3), in_proj=None, **weights)
    for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
        mha(key=(6, 2, 3), in_proj=None, **{**weights, name: None})
        mha(key=(6, 2, 3), in_proj=None, **{**weights, name: t(5, 5)})


for part in (norms, elementwise, embeddings, losses, pools, resampling, attention):
    part()
with open(sys.argv[1], "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
