#include "ops/skip.h"

#include <torch/version.h>

#include <algorithm>

#include "ops/listed_names.h"
#include "ops/python_names.h"

namespace msprobe::ops {
namespace {

bool listed(const std::vector<std::string>& list, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return std::find(list.begin(), list.end(), name) != list.end(); });
}

constexpr std::string_view kTypesNotRun[] = {"Distributed", "MindSpeed"};

}  // namespace

std::optional<std::string> skip_by_name(const dump::ApiName& name, const config::Settings& settings,
                                        const config::Standards& standards) {
  if (!name.well_formed()) return "its name is not of the form Type.name.number with three or four parts";
  for (const auto type : kTypesNotRun) {
    if (name.type == type) return name.type + " APIs take part in more than one process and are not replayed";
  }
  const auto names = listed_names(name);
  if (listed(settings.black_list, names)) return "on the black list";
  if (!settings.white_list.empty() && !listed(settings.white_list, names)) return "not on the white list";
  if (find_listed(standards.skip_apis, names) != standards.skip_apis.end()) {
    return name.name + " moves, converts or allocates only: there is nothing to compare";
  }
  if (const auto found = find_listed(standards.unsupported, names); found != standards.unsupported.end()) {
    return found->second;
  }
  // Exact names alone: torch.eig is gone, torch.linalg.eig is not.
  if (standards.removed_apis.count(name.name) || standards.removed_apis.count(name.type + "." + name.name)) {
    return name.type + "." + name.name + " was removed from PyTorch";
  }
  const bool random =
      find_listed(standards.random_apis, listed_names_of_both_forms(name)) != standards.random_apis.end();
  if (random && !is_dropout(name)) return "its output is random or uninitialised by nature";
  return std::nullopt;
}

std::string nothing_to_call(const dump::ApiName& name, const std::string& golden) {
  if (!golden.empty())
    return "torch_npu has no operator " + name.name + "; its golden (" + golden +
           ") has nothing to stand against; --device_type cpu runs it on both sides";
  if (name.type == "NPU")
    return "no golden for " + name.type + "." + name.name +
           "; write one and name its YAML file by `fused_operators` in config.yaml (docs/fused-operators.md)";
  return name.type + "." + name.name + ": this LibTorch (" TORCH_VERSION ") has nothing of that name";
}

bool is_dropout(const dump::ApiName& name) {
  return name.name.find("dropout") != std::string::npos;
}

bool is_inplace(const dump::ApiName& name, const inputs::Arguments& arguments) {
  const PythonName python = python_name(name);
  const std::string_view plain = without_overload(python);
  if (plain == "__setitem__") return true;
  // __iadd__ and its like, which are operators of that very name too (aten::__iand__); __index__ and __invert__ are
  // not.
  if (plain.starts_with("__") && plain.ends_with("__")) {
    const Dunder* dunder = find_dunder(plain);
    return dunder && dunder->name.starts_with('i') && dunder->aten.ends_with('_');
  }
  if (plain.size() > 1 && plain.ends_with('_') && !plain.ends_with("__")) return true;
  return python.type == "Functional" && functional_inplace(plain, arguments).value_or(false);
}

}  // namespace msprobe::ops
