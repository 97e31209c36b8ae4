#include "ops/skip.h"

#include <torch/version.h>

#include "ops/functional_inplace.h"
#include "signatures/python_names.h"

namespace msprobe::ops {

using config::PythonName;
using config::without_overload;
using signatures::Dunder;
using signatures::find_dunder;
using signatures::python_name;

namespace {

constexpr std::string_view kTypesNotRun[] = {"Distributed", "MindSpeed"};

}  // namespace

std::optional<std::string> skip_by_name(const dump::ApiName& name, const NameLists& lists,
                                        const config::Standards& standards) {
  if (!name.well_formed()) return "its name is not of the form Type.name.number with three or four parts";
  for (const auto type : kTypesNotRun) {
    if (name.type == type) return name.type + " APIs take part in more than one process and are not replayed";
  }
  const config::ApiNames names(name);
  if (lists.black.has(names)) return "on the black list";
  if (!lists.white.empty() && !lists.white.has(names)) return "not on the white list";
  if (standards.skip_apis.has(names)) {
    return name.name + " moves, converts or allocates only: there is nothing to compare";
  }
  if (const std::string* reason = standards.unsupported.find(names)) return *reason;
  // Whole names alone: torch.eig is gone, torch.linalg.eig is not.
  if (standards.removed_apis.has(config::ApiNames::whole(name.type, name.name))) {
    return name.type + "." + name.name + " was removed from PyTorch";
  }
  if (standards.random_apis.has(names.with_plain_forms()) && !is_dropout(name))
    return "its output is random or uninitialised by nature";
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
  return config::is_dropout(name.name);
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
