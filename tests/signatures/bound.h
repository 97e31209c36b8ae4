// What the entries of a file like config/signatures.yaml speak of, and what the schemas have of it.
#pragma once
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "config/api_facts.h"
#include "signatures/aliases.h"
#include "signatures/overload.h"

namespace msprobe::signatures {

inline const config::FactTable& installed() {
  static const config::FactTable table = config::load_api_facts(MSPROBE_CONFIG_DIR "/signatures.yaml");
  return table;
}

/// The APIs that an entry may speak of: "Functional.x" itself, "x" of each type that may have it and its in-place form.
inline std::vector<dump::ApiName> apis_of(const std::string& entry) {
  const size_t dot = entry.find('.');
  if (dot != std::string::npos) return {{entry.substr(0, dot), entry.substr(dot + 1), "0", entry + ".0"}};
  if (entry.find("npu_") != std::string::npos) return {{"NPU", entry, "0", "NPU." + entry + ".0"}};
  std::vector<dump::ApiName> apis;
  for (const char* type : {"Torch", "Tensor", "Functional", "Aten"})
    for (const char* suffix : {"", "_"})
      apis.push_back({type, entry + suffix, "0", type + ("." + entry) + suffix + ".0"});
  return apis;
}

/// What an API takes as find_argument sees it: the parameters that the file lists, else those of LibTorch's overloads.
class Taken {
 public:
  Taken(const config::FactTable& table, const dump::ApiName& api)
      : listed_(table.find(config::ApiNames(api).with_plain_forms(), &config::ApiFacts::parameters)) {
    if (listed_ == nullptr) overloads_ = overloads(api);
  }

  /// False: no schema and no list shows the API.
  bool is_known() const { return listed_ != nullptr || !overloads_.empty(); }
  /// By this name or one that find_argument takes for it.
  bool has(std::string_view parameter) const {
    return any_name(parameter, [&](std::string_view name) {
      if (listed_ == nullptr)
        return std::any_of(overloads_.begin(), overloads_.end(),
                           [&](const auto& o) { return o.find(name).has_value(); });
      return std::any_of(listed_->begin(), listed_->end(), [&](const auto& p) { return p.name == name; });
    });
  }

 private:
  const std::vector<config::DeclaredName>* listed_;
  std::vector<Overload> overloads_;
};

using Declared = std::vector<config::DeclaredName>;

/// torch_npu 2.13.0: the parameters of each overload, by the operator's name (tests/data/README.md). A line is
/// "npu::x.out(Tensor a, *, int b=1) -> ...".
inline const std::multimap<std::string, Declared>& npu_schemas() {
  static const auto all = [] {
    std::multimap<std::string, Declared> schemas;
    std::ifstream file(MSPROBE_TEST_DATA "/signatures/npu_schemas.txt");
    for (std::string line; std::getline(file, line);) {
      const size_t open = line.find('('), close = line.rfind(") ->");
      std::string name = line.substr(5, open - 5);
      name = name.substr(0, name.find('.'));
      Declared parameters = config::parse_parameters(line.substr(open + 1, close - open - 1));
      for (auto& p : parameters) p.name = p.name.substr(p.name.rfind(' ') + 1);  // without its type
      schemas.emplace(std::move(name), std::move(parameters));
    }
    return schemas;
  }();
  return all;
}

}  // namespace msprobe::signatures
