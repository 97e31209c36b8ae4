#include "places/construct_file.h"

#include <algorithm>

#include "dump/json_scan.h"

namespace msprobe::places {

ConstructFile::ConstructFile(const std::string& path) : file_(path) {
  file_.walk([this](std::string_view key, std::string_view value) {
    if (value == "null") return true;
    if (!value.starts_with('"')) return false;
    around_.insert_or_assign(key, file_.unescaped(value.substr(1, value.size() - 2)));
    return true;
  });
  file_.check_unchanged();
}

std::vector<Module> ConstructFile::modules_of(std::string_view name) const {
  constexpr size_t kDeepest = 1000;
  std::vector<std::string_view> names;
  for (auto at = around_.find(name); at != around_.end() && names.size() < kDeepest; at = around_.find(at->second)) {
    if (std::find(names.begin(), names.end(), at->second) != names.end()) break;
    names.push_back(at->second);
  }
  std::vector<Module> modules;
  for (const std::string_view module : names) modules.push_back(parse_module(module));
  return modules;
}

}  // namespace msprobe::places
