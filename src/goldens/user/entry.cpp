#include "goldens/user/entry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "util/edit_distance.h"

namespace msprobe::goldens {

using config::Node;

Error at_key(const std::string& path, const Node& entry, const std::string& what, const std::string& remedy) {
  return Error(fmt::format("{}:{}: {}", path, entry.key_line, entry.key), what, remedy);
}

Error unknown_key(const std::string& path, const Node& entry, const std::vector<std::string>& known) {
  return at_key(path, entry, fmt::format("unknown key{}", util::did_you_mean(entry.key, known)),
                fmt::format("known are {}", fmt::join(known, ", ")));
}

std::string api_of(const std::string& path, const Node& entry) {
  static const std::vector<std::string> kTypes = {"NPU", "Functional", "Torch", "Tensor", "Aten", "VF"};
  const size_t dot = entry.key.find('.');
  if (entry.key.empty() || entry.key.find_first_of(" \t\n") != std::string::npos)
    throw at_key(path, entry, "is no name of an API", "write it as npu_swiglu or Functional.gelu");
  if (dot == std::string::npos) return entry.key;
  const std::string type = entry.key.substr(0, dot);
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end() || dot + 1 == entry.key.size())
    throw at_key(path, entry, fmt::format("has the type {}{}", type, util::did_you_mean(type, kTypes)),
                 fmt::format("types are {}", fmt::join(kTypes, ", ")));
  return type == "NPU" ? entry.key.substr(dot + 1) : entry.key;
}

void Once::see(const std::string& api, const Node& entry) {
  const auto [before, first] = seen_.emplace(api, &entry);
  if (!first)
    throw at_key(path_, entry, fmt::format("is {} of line {} once more", before->second->key, before->second->key_line),
                 "keep one of them");
}

}  // namespace msprobe::goldens
