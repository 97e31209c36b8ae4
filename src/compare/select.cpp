#include "compare/select.h"

#include <algorithm>
#include <array>
#include <string>

namespace msprobe::compare {
namespace {

using config::Algorithm;
using config::Profile;

template <size_t n>
bool is_one_of(std::string_view text, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_judged_floating(std::string_view dtype) {
  constexpr std::array<std::string_view, 3> kDtypes = {"torch.float16", "torch.bfloat16", "torch.float32"};
  return is_one_of(dtype, kDtypes);
}

/// The dtypes for which MindStudio's code has this name.
bool is_float8_of_mindstudio(std::string_view dtype) {
  constexpr std::array<std::string_view, 4> kDtypes = {"torch.float8_e4m3fn", "torch.float8_e5m2",
                                                       "torch_npu.HiFloat8Tensor",
                                                       "<class 'torch_npu.utils.hif8_tensor.HiFloat8Tensor'>"};
  return is_one_of(dtype, kDtypes);
}

/// MindStudio compares names as they are, and its list has GELU alone, which no dump calls so.
int level_of_mindstudio(const RowName& row, const config::Standards& standards) {
  return row.name == "gelu" ? 0 : standards.level(config::ApiNames::whole(row.type, row.name));
}

}  // namespace

bool is_unsupported(std::string_view dtype) {
  constexpr std::array<std::string_view, 3> kDtypes = {"torch.float64", "torch.complex64", "torch.complex128"};
  return is_one_of(dtype, kDtypes);
}

bool is_skipped(std::string_view dtype, std::string_view shape) {
  return is_blank(dtype) || is_unsupported(dtype) || shape == "(0,)";
}

DtypeClass dtype_class(std::string_view dtype) {
  if (dtype == "torch.float16" || dtype == "torch.bfloat16") return DtypeClass::kHalf;
  return is_float8_of_mindstudio(dtype) || dtype.starts_with("torch.float8") ? DtypeClass::kFloat8
                                                                             : DtypeClass::kSingle;
}

std::string_view name_with_type(const RowName& row) {
  // Type and name stand side by side in the name of the row.
  return {row.type.data(), static_cast<size_t>(row.name.data() + row.name.size() - row.type.data())};
}

ApiStandard standard_of_api(const RowName& row, const config::Standards& standards, Profile profile) {
  const config::ApiNames api(row);
  return {standards.algorithm(api),
          profile == Profile::kMindstudio ? level_of_mindstudio(row, standards) : standards.level(api)};
}

Algorithm select_algorithm(Algorithm of_api, std::string_view dtype, bool float8_inputs, Profile profile) {
  if (profile == Profile::kMindstudio) {
    if (is_float8_of_mindstudio(dtype)) return Algorithm::kUlp;
    if (float8_inputs) return Algorithm::kAbsolute;
    return is_judged_floating(dtype) ? Algorithm::kBenchmark : Algorithm::kBinary;
  }
  return is_judged_floating(dtype) || dtype == "torch.complex32" ? of_api : Algorithm::kBinary;
}

}  // namespace msprobe::compare
