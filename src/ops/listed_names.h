// How the lists of config/precision_standard.yaml and of the white and black list name APIs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "dump/api_name.h"
#include "ops/python_names.h"

namespace msprobe::ops {

/// An operator's name without its overload: "add" of Aten.add.Tensor; Torch.linalg.norm keeps its dots.
std::string_view without_overload(const PythonName& python);

/// The names under which a list may speak of an API, the most exact first: "Torch.linalg.norm", "linalg.norm", "norm".
std::vector<std::string> listed_names(const dump::ApiName& name);

/// The same and, for in-place forms, the plain names: a list's "bernoulli" speaks of bernoulli_ too.
std::vector<std::string> listed_names_of_both_forms(const dump::ApiName& name);

/// The entry of a set or map for the first of `names` that it has; its end() when it has none.
template <class List>
auto find_listed(const List& list, const std::vector<std::string>& names) {
  auto found = list.end();
  for (const auto& name : names) {
    if ((found = list.find(name)) != list.end()) break;
  }
  return found;
}

}  // namespace msprobe::ops
