#include "config/api_names.h"

#include <algorithm>

namespace msprobe::config {
namespace {

struct Namespace {
  std::string_view prefix;  ///< of a Torch name
  std::string_view type;
};

constexpr Namespace kNamespaces[] = {
    {"nn.functional.", "Functional"},
    {"_C._nn.", "Torch"},
    {"_C._VariableFunctions.", "Torch"},
    {"functional.", "Torch"},
    {"_VF.", "VF"},
    {"ops.aten.", "Aten"},
    {"Tensor.", "Tensor"},
    {"_C._linalg.", "Torch"},
    {"_C._fft.", "Torch"},
    {"_C._special.", "Torch"},
};

constexpr size_t kNone = std::string_view::npos;

std::string qualified(std::string_view type, std::string_view name) {
  return std::string(type).append(1, '.').append(name);
}

bool is_in_place(std::string_view name) {
  return name.ends_with('_') && !name.ends_with("__");
}

}  // namespace

PythonName python_name(std::string_view type, std::string_view name) {
  for (const auto& space : kNamespaces) {
    if (type != "Torch" || !name.starts_with(space.prefix)) continue;
    return {std::string(space.type), std::string(name.substr(space.prefix.size()))};
  }
  return {std::string(type), std::string(name)};
}

bool is_dropout(std::string_view name) {
  return name.find("dropout") != std::string_view::npos;
}

std::string_view without_overload(const PythonName& python) {
  const std::string_view name = python.name;
  return python.type == "Aten" ? name.substr(0, name.find('.')) : name;
}

ApiNames::ApiNames(std::string_view type, std::string_view name) {
  const PythonName python = python_name(type, name);
  const std::string_view plain = without_overload(python);
  add(qualified(type, name));
  add(qualified(python.type, plain));
  add(name);
  add(plain);
  if (python.type != "Aten")
    for (size_t dot = name.find('.'); dot != kNone; dot = name.find('.', dot + 1)) add(name.substr(dot + 1));
  for (size_t dot = name.rfind('.'); dot != kNone && dot != 0; dot = name.rfind('.', dot - 1)) add(name.substr(0, dot));
}

ApiNames ApiNames::whole(std::string_view type, std::string_view name) {
  ApiNames names;
  names.add(qualified(type, name));
  names.add(name);
  return names;
}

ApiNames ApiNames::with_plain_forms() const {
  ApiNames both = *this;
  for (const std::string& name : names_)
    if (is_in_place(name)) both.add(std::string_view(name).substr(0, name.size() - 1));
  return both;
}

void ApiNames::add(std::string_view name) {
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
}

}  // namespace msprobe::config
