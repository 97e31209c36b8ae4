// interpolate and its older names, grid_sample, affine_grid.
#include <algorithm>
#include <array>

#include "ops/refusals/refusal.h"

namespace msprobe::ops {
namespace {

struct Resampling {
  Value size, scale_factor;
  std::string mode = "nearest";
  Value align_corners = {};
  bool recompute_scale_factor = false, antialias = false;
};

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* known) { return word == known; });
}

std::string spatial_text(const at::Tensor& input) {
  return list_text(input.sizes().slice(std::min<int64_t>(2, input.dim())));
}

void check_size(const at::Tensor& input, const Value& size) {
  const auto* list = size.get_if<inputs::List>();
  if (list == nullptr) return;
  if (static_cast<int64_t>(list->items.size()) != input.dim() - 2)
    value_error(
        "Input and output must have the same number of spatial dimensions, but got input with spatial "
        "dimensions of " +
        spatial_text(input) + " and output size of " + python_text(size) +
        ". Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) "
        "format.");
  const auto is_float = [](const Value& item) { return item.is<double>(); };
  if (std::none_of(list->items.begin(), list->items.end(), is_float)) return;
  std::string types;
  for (const Value& item : list->items)
    types += std::string(types.empty() ? "" : ", ") + (is_float(item) ? "<class 'float'>" : "<class 'int'>");
  throw Refused{"TypeError",
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
                "with types [" +
                    types + "]"};
}

void check_factor(const at::Tensor& input, const Value& factor) {
  const auto* list = factor.get_if<inputs::List>();
  if (list == nullptr || static_cast<int64_t>(list->items.size()) == input.dim() - 2) return;
  value_error(
      "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
      "dimensions of " +
      spatial_text(input) + " and scale_factor of shape " + python_text(factor) +
      ". Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) "
      "format.");
}

void check_mode(const at::Tensor& input, const Resampling& r) {
  const int64_t dim = input.dim();
  const bool any_rank = dim >= 3 && dim <= 5;
  if (any_rank && is_one_of(r.mode, {"nearest", "nearest-exact", "area"})) return;
  if (dim == 4 && r.mode == "lanczos") {
    if (r.align_corners.is<bool>() && r.align_corners.get<bool>())
      value_error("Lanczos mode does not support align_corners=True");
    if (!r.antialias) value_error("Lanczos mode requires antialias=True");
    return;
  }
  if (dim == 4 && r.mode == "bicubic") return;
  struct Linear {
    const char* mode;
    int64_t dim;
  };
  constexpr std::array<Linear, 3> kLinear = {{{"linear", 3}, {"bilinear", 4}, {"trilinear", 5}}};
  for (const Linear& known : kLinear) {
    if (r.mode != known.mode || !any_rank) continue;
    if (dim == known.dim) return;
    not_implemented("Got " + std::to_string(dim) + "D input, but " + r.mode + " mode needs " +
                    std::to_string(known.dim) + "D input");
  }
  not_implemented("Input Error: Only 3D, 4D and 5D input Tensors supported (got " + std::to_string(dim) +
                  "D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | "
                  "nearest-exact (got " +
                  r.mode + ")");
}

void check(const at::Tensor& input, const Resampling& r) {
  if (is_one_of(r.mode, {"nearest", "area", "nearest-exact"}) && !r.align_corners.is_none())
    value_error(
        "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
        "trilinear");
  if (!r.size.is_none() && !r.scale_factor.is_none()) value_error("only one of size or scale_factor should be defined");
  if (r.size.is_none() && r.scale_factor.is_none()) value_error("either size or scale_factor should be defined");
  check_size(input, r.size);
  check_factor(input, r.scale_factor);
  if (r.recompute_scale_factor && !r.size.is_none())
    value_error("recompute_scale_factor is not meaningful with an explicit size.");
  if (r.antialias && !(is_one_of(r.mode, {"bilinear", "bicubic", "lanczos"}) && input.dim() == 4))
    value_error(
        "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
        "input");
  check_mode(input, r);
}

const RefusalRegistration interpolate(
    {"interpolate"},
    "input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, "
    "antialias=False",
    [](const PythonCall& c) {
      check(c.tensor("input"), {c["size"], c["scale_factor"], c.string("mode"), c["align_corners"],
                                c.boolean("recompute_scale_factor"), c.boolean("antialias")});
    });
const RefusalRegistration upsample(
    {"upsample"}, "input, size=None, scale_factor=None, mode='nearest', align_corners=None", [](const PythonCall& c) {
      check(c.tensor("input"), {c["size"], c["scale_factor"], c.string("mode"), c["align_corners"]});
    });
const RefusalRegistration upsample_nearest({"upsample_nearest"}, "input, size=None, scale_factor=None",
                                           [](const PythonCall& c) {
                                             check(c.tensor("input"), {c["size"], c["scale_factor"]});
                                           });
const RefusalRegistration upsample_bilinear(
    {"upsample_bilinear"}, "input, size=None, scale_factor=None", [](const PythonCall& c) {
      check(c.tensor("input"), {c["size"], c["scale_factor"], "bilinear", true});
    });

const RefusalRegistration grid_sample(
    {"grid_sample"}, "input, grid, mode='bilinear', padding_mode='zeros', align_corners=None", [](const PythonCall& c) {
      const std::string mode = c.string("mode"), padding = c.string("padding_mode");
      if (!is_one_of(mode, {"bilinear", "nearest", "bicubic"}))
        value_error("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '" +
                    mode + "'");
      if (!is_one_of(padding, {"zeros", "border", "reflection"}))
        value_error(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but "
            "got: '" +
            padding + "'");
    });

void check_matrices(const at::Tensor& theta, const Value& size, int64_t rank) {
  const bool fits = theta.dim() == 3 && theta.size(-2) == rank && theta.size(-1) == rank + 1;
  const std::string form = rank == 2 ? "2D affine matrices of shape Nx2x3" : "3D affine matrices of shape Nx3x4";
  if (!fits)
    value_error("Expected a batch of " + form + " for size " + python_text(size) + ". Got " + size_text(theta.sizes()) +
                ".");
}

const RefusalRegistration affine_grid({"affine_grid"}, "theta, size, align_corners=None", [](const PythonCall& c) {
  const at::Tensor theta = c.tensor("theta");
  const auto size = c.integers("size");
  if (!at::isFloatingType(theta.scalar_type()))
    value_error("Expected theta to have floating point type, but got " + inputs::dtype_name(theta.scalar_type()));
  if (size.size() != 4 && size.size() != 5)
    not_implemented(
        "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got "
        "size " +
        python_text(c["size"]) + ".");
  check_matrices(theta, c["size"], static_cast<int64_t>(size.size()) - 2);
  const bool only_warned = c.boolean("align_corners") && *std::min_element(size.begin() + 2, size.end()) == 1;
  if (!only_warned && *std::min_element(size.begin(), size.end()) <= 0)
    value_error("Expected non-zero, positive output size. Got " + python_text(c["size"]));
});

}  // namespace
}  // namespace msprobe::ops
