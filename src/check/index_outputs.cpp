#include "check/index_outputs.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace msprobe::check {
namespace {

enum class WithoutDim {
  kLast,       // the last dimension
  kFlattened,  // the flattened input
  kValues,     // no indices are given at all
};

struct Rule {
  std::string_view api;
  size_t output;    // which result holds indices
  size_t position;  // of dim among the positional arguments
  WithoutDim without_dim;
  bool distinct;
};

// Signatures of torch; `dim`/`axis` by keyword as well.
constexpr std::array<Rule, 13> kRules = {{{"topk", 1, 2, WithoutDim::kLast, true},
                                          {"sort", 1, 1, WithoutDim::kLast, true},
                                          {"argsort", 0, 1, WithoutDim::kLast, true},
                                          {"max", 1, 1, WithoutDim::kValues, false},
                                          {"min", 1, 1, WithoutDim::kValues, false},
                                          {"argmax", 0, 1, WithoutDim::kFlattened, false},
                                          {"argmin", 0, 1, WithoutDim::kFlattened, false},
                                          {"kthvalue", 1, 2, WithoutDim::kLast, false},
                                          {"median", 1, 1, WithoutDim::kValues, false},
                                          {"nanmedian", 1, 1, WithoutDim::kValues, false},
                                          {"mode", 1, 1, WithoutDim::kLast, false},
                                          {"cummax", 1, 1, WithoutDim::kLast, false},
                                          {"cummin", 1, 1, WithoutDim::kLast, false}}};

/// By keyword, else by place; nullptr: left out.
const inputs::Value* given(const inputs::Arguments& arguments, size_t position,
                           std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (const auto* v = arguments.kwarg(word)) return v;
  return arguments.args.size() > position ? &arguments.args[position] : nullptr;
}

// unique(input, sorted, return_inverse, return_counts, dim): result 1 is the inverse, or the counts where only those
// were asked for. With a dim it numbers slices, which no single value stands for.
std::optional<IndexOutput> inverse_of_unique(const inputs::Arguments& arguments, size_t output) {
  const auto *inverse = given(arguments, 2, {"return_inverse"}), *dim = given(arguments, 4, {"dim"});
  const bool asked = inverse != nullptr && inverse->is<bool>() && inverse->get<bool>();
  if (output != 1 || !asked || (dim != nullptr && !dim->is_none())) return std::nullopt;
  IndexOutput out;
  out.into_result = true;
  return out;
}

}  // namespace

std::optional<IndexOutput> index_output(std::string_view api, const inputs::Arguments& arguments, size_t output) {
  if (api == "unique") return inverse_of_unique(arguments, output);
  const auto* rule = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return r.api == api; });
  if (rule == kRules.end() || rule->output != output) return std::nullopt;
  const inputs::Value* dim = given(arguments, rule->position, {"axis", "dim"});
  IndexOutput out;
  out.distinct = rule->distinct;
  if (dim != nullptr && dim->is<int64_t>()) {
    out.dim = dim->get<int64_t>();
  } else if (rule->without_dim == WithoutDim::kValues) {
    return std::nullopt;
  } else if (rule->without_dim == WithoutDim::kLast) {  // sort(x, True) says descending there
    out.dim = -1;
  }
  return out;
}

const at::Tensor* indexed_input(const inputs::Arguments& arguments) {
  const inputs::Value* input = arguments.args.empty() ? nullptr : &arguments.args[0];
  for (const char* word : {"input", "self"})
    if (const auto* v = arguments.kwarg(word); v != nullptr && input == nullptr) input = v;
  return input == nullptr ? nullptr : input->get_if<at::Tensor>();
}

}  // namespace msprobe::check
