// config/mindstudio.yaml: names that users of MindStudio msprobe know and that mean nothing here.
#pragma once
#include <map>
#include <set>
#include <string>

namespace msprobe::config {

struct MindstudioFacts {
  /// Its subcommands that are not there, and what to do instead; empty: nothing here is like it.
  std::map<std::string, std::string, std::less<>> commands;
  std::set<std::string, std::less<>> mindspore_kinds;  ///< first parts of names in dumps of MindSpore
};

/// Throws Error (file, line): unknown keys, wrong types, not installed.
MindstudioFacts load_mindstudio_facts(const std::string& path);
MindstudioFacts installed_mindstudio_facts();

}  // namespace msprobe::config
