// torch/functional.py and torch._VF's odd ones: functions whose Python arguments are not the operator's.
#include "ops/adaptors/python.h"
#include "ops/adaptors/tensor_data.h"

namespace msprobe::ops {
namespace {

// ---- any number of tensors

struct RegisterPacked {
  RegisterPacked() {
    for (const char* name : {"atleast_1d", "atleast_2d", "atleast_3d"}) {
      // One tensor alone gives a tensor, not a list.
      AdaptorRegistration({api(name).c_str()}, [name](const Arguments& arguments) -> Value {
        const bool one = arguments.args.size() == 1;
        return aten(name, {one ? arguments.args[0] : packed(arguments)}, arguments.kwargs);
      });
    }
    for (const char* name : {"block_diag", "broadcast_tensors", "cartesian_prod", "chain_matmul"}) {
      AdaptorRegistration({api(name).c_str()}, [name](const Arguments& arguments) -> Value {
        return aten(name, {packed(arguments)}, arguments.kwargs);
      });
    }
  }
  static std::string api(const char* name) { return std::string("Torch.") + name; }
};
const RegisterPacked packed_functions;

MSPROBE_ADAPTOR("Torch.meshgrid") {
  const Value* indexing = arguments.kwarg("indexing");
  if (!indexing || indexing->is_none()) return aten("meshgrid", {packed(arguments)});
  return aten("meshgrid", {packed(arguments)}, {{"indexing", *indexing}});
}

// ---- einsum

// einsum(a, [0, 1], b, [1, 2], [0, 2]): A to Z stand for 0 to 25, a to z for 26 to 51.
std::string subscript(const Value& list) {
  const auto* items = list.get_if<List>();
  if (!items) throw NoMatch("einsum: expected a list of subscripts after each operand");
  std::string letters;
  for (const Value& item : items->items) {
    if (item.is<Ellipsis>()) {
      letters += "...";
      continue;
    }
    const int64_t n = as_integer(item, "einsum: subscript");
    if (n < 0 || n >= 52) throw NoMatch("einsum: expected subscripts from 0 to 51, got " + std::to_string(n));
    letters += static_cast<char>(n < 26 ? 'A' + n : 'a' + (n - 26));
  }
  return letters;
}

// For three and more operands Python may also hand over a path that the package opt_einsum found; without it the
// operator contracts from left to right. Both give the same values up to rounding.
MSPROBE_ADAPTOR("Torch.einsum") {
  const auto& args = arguments.args;
  if (args.size() < 2) throw NoMatch("einsum: expected an equation and operands, or operands and their subscripts");
  if (!args[0].is_tensor()) {
    Arguments operands;
    operands.args.assign(args.begin() + 1, args.end());
    return aten("einsum", {args[0], packed(operands)});
  }
  std::string equation;
  std::vector<Value> operands;
  for (size_t i = 0; i + 1 < args.size(); i += 2) {
    operands.push_back(args[i]);
    if (i) equation += ',';
    equation += subscript(args[i + 1]);
  }
  if (args.size() % 2 == 1) equation.append("->").append(subscript(args.back()));
  return aten("einsum", {equation, list_of(std::move(operands))});
}

// ---- products and distances

std::pair<Value, Value> last_and_first(int64_t n) {
  std::vector<int64_t> last, first;
  for (int64_t i = 0; i < n; ++i) {
    last.push_back(i - n);
    first.push_back(i);
  }
  return {list_of(last), list_of(first)};
}

// The dimensions to contract: n for the last n of a and the first n of b, or one list for each. One number more than
// either has (`most`) is as wrong as any larger one, of which no list need be made.
std::pair<Value, Value> contracted(const Value& dims, int64_t most) {
  if (const auto* list = dims.get_if<List>()) {
    if (list->items.size() != 2) throw NoMatch("tensordot: expected dims to be an int or two lists");
    return {list->items[0], list->items[1]};
  }
  const auto* t = dims.get_if<at::Tensor>();
  if (!t || t->numel() == 1) return last_and_first(std::min(as_integer(dims, "tensordot: dims"), most + 1));
  TORCH_CHECK(t->dim() == 2 && t->size(0) == 2, "tensordot: expected dims of shape [2, n]");
  const at::Tensor pairs = t->to(at::kCPU, at::kLong).contiguous();
  const auto* first = pairs.data_ptr<int64_t>();
  const auto row = static_cast<size_t>(pairs.size(1));
  return {list_of(at::IntArrayRef(first, row)), list_of(at::IntArrayRef(first + row, row))};
}

MSPROBE_ADAPTOR("Torch.tensordot") {
  const PythonCall c("tensordot", "a, b, dims=2, out=None", arguments);
  const auto [dims_a, dims_b] = contracted(c["dims"], std::max(c.tensor("a").dim(), c.tensor("b").dim()));
  if (c.has("out")) return aten("tensordot", {c["a"], c["b"], dims_a, dims_b}, {{"out", c["out"]}});
  return aten("tensordot", {c["a"], c["b"], dims_a, dims_b});
}

MSPROBE_ADAPTOR("Torch.cdist") {
  const PythonCall c("cdist", "x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary'", arguments);
  const std::string mode = c.string("compute_mode");
  Value number;
  if (mode == "use_mm_for_euclid_dist") {
    number = 1;
  } else if (mode == "donot_use_mm_for_euclid_dist") {
    number = 2;
  } else if (mode != "use_mm_for_euclid_dist_if_necessary") {
    throw NoMatch("cdist: no compute_mode " + mode);
  }
  return aten("cdist", {c["x1"], c["x2"], c["p"], number});
}

MSPROBE_ADAPTOR("Torch.spmm", "Torch.dsmm", "Torch.hsmm") {
  const PythonCall c("spmm", "input, mat2", arguments);
  return aten("mm", {c["input"], c["mat2"]});
}

MSPROBE_ADAPTOR("Functional.grouped_mm") {
  const PythonCall c("grouped_mm", "mat_a, mat_b, *, offs=None, bias=None, out_dtype=None", arguments);
  return aten("_grouped_mm", {c["mat_a"], c["mat_b"]},
              {{"offs", c["offs"]}, {"bias", c["bias"]}, {"out_dtype", c["out_dtype"]}});
}

// ---- pieces of a tensor

// A list gives the length of each piece, a number (also in a tensor) that of all.
Value split(const Value& input, Value size, const Value& dim) {
  if (size.is<List>()) return aten("split_with_sizes", {input, size, dim});
  if (const auto* t = size.get_if<at::Tensor>(); t && t->numel() != 1) {
    std::vector<int64_t> sizes;
    const at::Tensor numbers = t->to(at::kCPU, at::kLong).contiguous();
    sizes.assign(numbers.data_ptr<int64_t>(), numbers.data_ptr<int64_t>() + numbers.numel());
    return aten("split_with_sizes", {input, list_of(sizes), dim});
  }
  return aten("split", {input, as_integer(size, "split size"), dim});
}

MSPROBE_ADAPTOR("Torch.split") {
  const PythonCall c("split", "tensor, split_size_or_sections, dim=0", arguments);
  return split(c["tensor"], c["split_size_or_sections"], c["dim"]);
}

MSPROBE_ADAPTOR("Tensor.split") {
  const PythonCall c("Tensor.split", "self, split_size, dim=0", arguments);
  return split(c["self"], c["split_size"], c["dim"]);
}

Value nonzero(const PythonCall& c) {
  if (c.boolean("as_tuple")) return aten("nonzero_numpy", {c["input"]});
  if (c.has("out")) return aten("nonzero", {c["input"]}, {{"out", c["out"]}});
  return aten("nonzero", {c["input"]});
}

MSPROBE_ADAPTOR("Torch.nonzero", "Tensor.nonzero") {
  return nonzero(PythonCall("nonzero", "input, *, out=None, as_tuple=False", arguments));
}

// Flat places to one tensor of coordinates a dimension.
MSPROBE_ADAPTOR("Torch.unravel_index") {
  const PythonCall c("unravel_index", "indices, shape", arguments);
  const at::Tensor indices = c.tensor("indices");
  const auto shape = c.integers("shape", 1);
  for (const int64_t size : shape)
    TORCH_CHECK_VALUE(size >= 0, "unravel_index: shape cannot have negative values, got ", size);
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    TORCH_CHECK_VALUE(!__builtin_mul_overflow(strides[i], shape[i], &strides[i - 1]),
                      "unravel_index: shape has more places than 64 bits can count");
  const auto on_device = [&](const std::vector<int64_t>& numbers) {
    return at::tensor(numbers, at::TensorOptions(at::kLong)).to(indices.device());
  };
  const at::Tensor counts = aten_t("floor_divide", {aten_t("unsqueeze", {indices, -1}), on_device(strides)});
  return aten("unbind", {aten_t("remainder", {counts, on_device(shape)}), -1});
}

// ---- linear algebra

Value lu_factors(const Value& a, const PythonCall& c) {
  const bool infos = c.boolean("get_infos");
  const Value all = aten("_lu_with_info", {a, c["pivot"], !infos});
  if (infos) return all;
  return list_of({tensor_at(all, 0), tensor_at(all, 1)});
}

// torch.lu; torch.linalg.lu, which dumps may call the same, has three results and is found by its operator.
MSPROBE_ADAPTOR("Torch.lu") {
  const PythonCall c("lu", "A, pivot=True, get_infos=False, out=None", arguments);
  const Value result = lu_factors(c["A"], c);
  if (!c.has("out")) return result;
  const size_t given = c["out"].is<List>() ? c["out"].get<List>().items.size() : 0;
  if (given != result.get<List>().items.size()) throw NoMatch("lu: out takes a list with one tensor a result");
  for (size_t i = 0; i < given; ++i) {
    aten("copy_", {aten_t("resize_as_", {tensor_at(c["out"], i), tensor_at(result, i)}), tensor_at(result, i)});
  }
  return c["out"];
}

MSPROBE_ADAPTOR("Tensor.lu") {
  const PythonCall c("Tensor.lu", "self, pivot=True, get_infos=False", arguments);
  return lu_factors(c["self"], c);
}

// ---- short-time Fourier transform

// Python pads a centred signal by itself and calls the operator that knows no `center`.
Value stft(const PythonCall& c) {
  at::Tensor input = c.tensor("input");
  if (c.boolean("center")) {
    const int64_t dims = input.dim(), pad = c.integer("n_fft") / 2;
    std::vector<int64_t> extended(static_cast<size_t>(std::max<int64_t>(3 - dims, 0)), 1);
    extended.insert(extended.end(), input.sizes().begin(), input.sizes().end());
    const at::Tensor padded =
        aten_t("pad", {aten_t("view", {input, list_of(extended)}), list_of({pad, pad}), c["pad_mode"]});
    input = aten_t("view", {padded, list_of(padded.sizes().slice(padded.dim() - dims))});
  }
  std::vector<Value> args{input,       c["n_fft"],      c["hop_length"], c["win_length"],
                          c["window"], c["normalized"], c["onesided"],   c["return_complex"]};
  if (c.has("align_to_window")) args.push_back(c["align_to_window"]);
  return aten("stft", std::move(args));
}

MSPROBE_ADAPTOR("Torch.stft", "Tensor.stft") {
  return stft(
      PythonCall("stft",
                 "input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', "
                 "normalized=False, onesided=None, return_complex=None, align_to_window=None",
                 arguments));
}

// ---- shapes

MSPROBE_ADAPTOR("Torch.broadcast_shapes") {
  std::vector<int64_t> shape;
  for (const Value& v : arguments.args) {
    std::vector<int64_t> next;
    for (const Value& size : v.is<List>() ? v.get<List>().items : std::vector<Value>{v})
      next.push_back(as_integer(size, "shape"));
    shape = at::infer_size(shape, next);
  }
  Value result = list_of(shape);
  result.get<List>().is_size = true;
  return result;
}

}  // namespace
}  // namespace msprobe::ops
