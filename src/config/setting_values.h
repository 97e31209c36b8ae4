// The kinds of values that settings have: how files give them, and how they are written.
#pragma once
#include <string>
#include <string_view>

#include "config/document.h"
#include "config/settings.h"

namespace msprobe::config {

constexpr int kMostThreads = 65536;

// ---- from a file; each throws Error naming file, line, found and expected
Profile as_profile(const std::string& path, const Node& node);
SaveData as_save_data(const std::string& path, const Node& node);
Hf32 as_hf32(const std::string& path, const Node& node);
Assess as_assess(const std::string& path, const Node& node);
/// A list of names of APIs.
ApiList read_names(const std::string& path, const Node& node);
/// Paths of other configuration files are meant beside the file that names them.
std::string read_file_path(const std::string& path, const Node& node);
void read_error_data_path(const std::string& path, const Node& node, Settings& settings);
void read_range(const std::string& path, const Node& node, Settings& settings);
void read_timeout(const std::string& path, const Node& node, Settings& settings);

// ---- as text
std::string word_of(Profile value);
std::string word_of(SaveData value);
std::string word_of(Hf32 value);
std::string word_of(Assess value);
/// As YAML takes it.
std::string quoted(std::string_view text);
std::string list_of(const ApiList& list);
/// The entries with spaces between them.
std::string joined(const ApiList& list);
/// Every bit of it.
std::string exact(double value);
std::string yes_no(bool on);
std::string on_off(bool on);

}  // namespace msprobe::config
