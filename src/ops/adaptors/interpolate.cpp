// Resampling: interpolate and its older names, grid_sample, affine_grid.
#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

struct Mode {
  std::string_view name;
  int64_t rank;    ///< spatial dimensions; 0: one to three
  const char* op;  ///< without its rank where that varies
  bool takes_align;
  const char* antialias;  ///< the operator with antialias=True
};

constexpr Mode kModes[] = {
    {"nearest", 0, "upsample_nearest", false, nullptr},
    {"nearest-exact", 0, "_upsample_nearest_exact", false, nullptr},
    {"linear", 1, "upsample_linear1d", true, nullptr},
    {"bilinear", 2, "upsample_bilinear2d", true, "_upsample_bilinear2d_aa"},
    {"trilinear", 3, "upsample_trilinear3d", true, nullptr},
    {"bicubic", 2, "upsample_bicubic2d", true, "_upsample_bicubic2d_aa"},
    {"lanczos", 2, nullptr, true, "_upsample_lanczos2d_aa"},
};

struct Resampling {
  Value size, scale_factor;
  std::string mode = "nearest";
  bool align_corners = false;
  bool recompute_scale_factor = false;
  bool antialias = false;
};

// size times factor, rounded to zero as Python's int() does.
Value scaled_sizes(const at::Tensor& input, const std::vector<Value>& factors) {
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < factors.size(); ++i) {
    const auto size = static_cast<double>(input.size(static_cast<int64_t>(i) + 2));
    sizes.push_back(static_cast<int64_t>(size * as_double(factors[i], "scale_factor")));
  }
  return list_of(sizes);
}

// The operators come in two forms; Python calls the one that takes sizes or factors ("vec"), None for what is not
// given.
Value interpolate(const at::Tensor& input, const Resampling& r) {
  TORCH_CHECK_VALUE(3 <= input.dim() && input.dim() <= 5, "interpolate: expected 3-D, 4-D or 5-D input, got ",
                    input.dim(), "-D");
  TORCH_CHECK_VALUE(r.size.is_none() != r.scale_factor.is_none(), "interpolate: expected either size or scale_factor");
  const int64_t rank = input.dim() - 2;
  Value size, factors;
  if (r.size.is_none()) {
    auto each = for_each_dim(r.scale_factor, static_cast<size_t>(rank), "scale_factor");
    if (r.recompute_scale_factor || r.mode == "area") {
      size = scaled_sizes(input, each);
    } else {
      for (Value& factor : each) factor = as_double(factor, "scale_factor");
      factors = list_of(std::move(each));
    }
  } else {
    auto each = for_each_dim(r.size, static_cast<size_t>(rank), "size");
    for (Value& item : each) item = as_integer(item, "size");
    size = list_of(std::move(each));
  }
  if (r.mode == "area") return aten("adaptive_avg_pool" + std::to_string(rank) + "d", {input, size});

  for (const Mode& mode : kModes) {
    if (mode.name != r.mode || (mode.rank != 0 && mode.rank != rank)) continue;
    const char* op = r.antialias ? mode.antialias : mode.op;
    if (!op) break;
    if (mode.takes_align) return aten_overload(op, "vec", {input, size, r.align_corners, factors});
    return aten_overload(op + std::to_string(rank) + "d", "vec", {input, size, factors});
  }
  throw NoMatch("interpolate: no mode " + r.mode + (r.antialias ? " with antialias" : "") + " for " +
                std::to_string(input.dim()) + "-D input");
}

MSPROBE_ADAPTOR("Functional.interpolate", "Functional.upsample") {
  const PythonCall c(
      "interpolate",
      "input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, "
      "antialias=False",
      arguments);
  return interpolate(c.tensor("input"), {c["size"], c["scale_factor"], c.string("mode"), c.boolean("align_corners"),
                                         c.boolean("recompute_scale_factor"), c.boolean("antialias")});
}

MSPROBE_ADAPTOR("Functional.upsample_nearest") {
  const PythonCall c("upsample_nearest", "input, size=None, scale_factor=None", arguments);
  return interpolate(c.tensor("input"), {c["size"], c["scale_factor"]});
}

MSPROBE_ADAPTOR("Functional.upsample_bilinear") {
  const PythonCall c("upsample_bilinear", "input, size=None, scale_factor=None", arguments);
  return interpolate(c.tensor("input"), {c["size"], c["scale_factor"], "bilinear", /*align_corners=*/true});
}

int64_t place_in(std::initializer_list<std::string_view> words, const std::string& word, const char* what) {
  int64_t place = 0;
  for (const auto known : words) {
    if (known == word) return place;
    ++place;
  }
  throw NoMatch("grid_sample: no " + std::string(what) + " " + word);
}

MSPROBE_ADAPTOR("Functional.grid_sample") {
  const PythonCall c("grid_sample", "input, grid, mode='bilinear', padding_mode='zeros', align_corners=None",
                     arguments);
  const int64_t mode = place_in({"bilinear", "nearest", "bicubic"}, c.string("mode"), "mode");
  const int64_t padding = place_in({"zeros", "border", "reflection"}, c.string("padding_mode"), "padding_mode");
  return aten("grid_sampler", {c["input"], c["grid"], mode, padding, c.boolean("align_corners")});
}

MSPROBE_ADAPTOR("Functional.affine_grid") {
  const PythonCall c("affine_grid", "theta, size, align_corners=None", arguments);
  return aten("affine_grid_generator", {c["theta"], c["size"], c.boolean("align_corners")});
}

}  // namespace
}  // namespace msprobe::ops
