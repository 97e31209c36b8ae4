#include "run/index_outputs.h"

#include <algorithm>
#include <array>

namespace msprobe::run {
namespace {

struct Rule {
  std::string_view api;
  size_t position;            // of dim among the positional arguments
  bool flattens_without_dim;  // no dim: index into the flattened input; else the last dimension
  bool distinct;
};

// Signatures of torch; `dim`/`axis` by keyword as well.
constexpr std::array<Rule, 13> kRules = {{{"topk", 2, false, true},
                                          {"sort", 1, false, true},
                                          {"msort", 99, false, true},
                                          {"argsort", 1, false, true},
                                          {"max", 1, true, false},
                                          {"min", 1, true, false},
                                          {"argmax", 1, true, false},
                                          {"argmin", 1, true, false},
                                          {"kthvalue", 2, false, false},
                                          {"median", 1, true, false},
                                          {"nanmedian", 1, true, false},
                                          {"mode", 1, false, false},
                                          {"cummax", 1, false, false}}};

}  // namespace

std::optional<IndexOutput> index_output(std::string_view api, const inputs::Arguments& arguments) {
  if (api == "cummin") api = "cummax";
  const auto* rule = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return r.api == api; });
  if (rule == kRules.end()) return std::nullopt;
  IndexOutput out;
  out.distinct = rule->distinct;
  const inputs::Value* dim = nullptr;
  if (arguments.args.size() > rule->position) dim = &arguments.args[rule->position];
  for (const char* word : {"dim", "axis"})
    if (const auto* v = arguments.kwarg(word)) dim = v;
  if (dim != nullptr && dim->is<bool>()) dim = nullptr;  // sort(x, True): descending
  if (dim != nullptr && dim->is<int64_t>()) {
    out.dim = dim->get<int64_t>();
  } else if (!rule->flattens_without_dim) {
    out.dim = api == "msort" ? 0 : -1;
  }
  return out;
}

}  // namespace msprobe::run
