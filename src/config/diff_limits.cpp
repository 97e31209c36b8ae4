#include "config/diff_limits.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "config/document.h"

namespace msprobe::config {
namespace {

constexpr std::array<std::pair<std::string_view, Floor::Kind>, 3> kByDtype = {
    {{"small_value_atol", Floor::Kind::kSmallValueAtol},
     {"rtol", Floor::Kind::kRtol},
     {"ulp_share_limit", Floor::Kind::kUlpShareLimit}}};

void expect_map(const std::string& path, const Node& node) {
  if (node.kind == Node::Kind::kMap) return;
  throw error_at(path, node, fmt::format("found {}, expected keys with values", describe(node)));
}

Floor read_floor(const std::string& path, const Node& node) {
  if (node.kind == Node::Kind::kString) {
    for (const auto& [name, kind] : kByDtype)
      if (node.text == name) return {kind, 0};
    throw error_at(path, node, fmt::format("found {}, expected a number or a limit by dtype", describe(node)),
                   "write a number, small_value_atol, rtol or ulp_share_limit");
  }
  const double number = as_number(path, node);
  if (number < 0) throw error_at(path, node, fmt::format("found {}, expected a number of at least 0", node.text));
  return {Floor::Kind::kNumber, number};
}

}  // namespace

double Floor::of(std::string_view dtype, const Standards& standards) const {
  switch (kind) {
    case Kind::kSmallValueAtol:
      return standards.limits(dtype, Profile::kDocumented).small_value_atol;
    case Kind::kRtol:
      return standards.limits(dtype, Profile::kDocumented).rtol;
    case Kind::kUlpShareLimit: {
      if (dtype.starts_with("torch.")) dtype.remove_prefix(6);
      const auto found = standards.ulp_share_limit.find(dtype);
      return found != standards.ulp_share_limit.end() ? found->second : standards.ulp_share_limit.at("float32");
    }
    case Kind::kNumber:
      break;
  }
  return number;
}

DiffLimits load_diff_limits(const std::string& path) {
  const Node document = read_document(path);
  expect_map(path, document);
  DiffLimits limits;
  for (const Node& entry : document.children) {
    if (entry.key == "times") {
      limits.times = as_number(path, entry);
      if (limits.times < 1) throw error_at(path, entry, "found " + entry.text + ", expected a number of at least 1");
    } else if (entry.key == "floors") {
      expect_map(path, entry);
      for (const Node& floor : entry.children) limits.floors[floor.key] = read_floor(path, floor);
    } else {
      throw Error(fmt::format("{}:{}", path, entry.key_line), "unknown key " + entry.key, "expected times or floors");
    }
  }
  for (const char* key : {"times", "floors"})
    if (document.find(key) == nullptr)
      throw Error(path, fmt::format("{} is missing", key), "take the installed diff.yaml as a pattern");
  return limits;
}

}  // namespace msprobe::config
