#include "ops/listed_names.h"

namespace msprobe::ops {

std::string_view without_overload(const PythonName& python) {
  const std::string_view name = python.name;
  return python.type == "Aten" ? name.substr(0, name.find('.')) : name;
}

std::vector<std::string> listed_names(const dump::ApiName& name) {
  const PythonName python = python_name(name);
  const std::string plain(without_overload(python));
  std::vector<std::string> names = {name.type + "." + name.name, python.type + "." + plain, name.name, plain};
  if (python.type != "Aten") names.push_back(plain.substr(plain.rfind('.') + 1));
  return names;
}

std::vector<std::string> listed_names_of_both_forms(const dump::ApiName& name) {
  auto names = listed_names(name);
  for (size_t i = 0, n = names.size(); i < n; ++i) {
    if (names[i].ends_with('_') && !names[i].ends_with("__")) names.push_back(names[i].substr(0, names[i].size() - 1));
  }
  return names;
}

}  // namespace msprobe::ops
