// The keys of config.yaml and config.json: one table that reading, --show-config and the messages share.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "config/settings.h"

namespace msprobe::config {

struct Key {
  std::string_view name;
  /// Takes the value of `node` over into the settings; throws Error naming file, line, found and expected.
  void (*read)(const std::string& path, const Node& node, Settings& settings);
  /// The value as it would be written in config.yaml.
  std::string (*show)(const Settings& settings);
};

/// In the order of the documentation.
const std::vector<Key>& keys();

/// Keys of MindStudio msprobe's files that steer its dumper or versions of its checker with a network part: they mean
/// nothing here and are passed over, so that one file serves both programs.
bool is_foreign_key(std::string_view name);

}  // namespace msprobe::config
