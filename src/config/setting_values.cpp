#include "config/setting_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "util/edit_distance.h"
#include "util/home.h"

namespace msprobe::config {
namespace {

/// One value out of a few words, with the words in the message when it is none.
template <typename T>
struct Word {
  std::string_view text;
  T value;
};
template <typename T, size_t N>
T as_word(const std::string& path, const Node& node, const std::array<Word<T>, N>& words) {
  // YAML takes a bare on or off for a truth value.
  const std::string text = node.kind == Node::Kind::kBool ? (as_bool(path, node) ? "on" : "off") : node.text;
  std::string expected;
  std::vector<std::string> known;
  for (const auto& word : words) {
    if (node.kind != Node::Kind::kNull && text == word.text) return word.value;
    if (std::find(known.begin(), known.end(), word.text) == known.end()) known.emplace_back(word.text);
  }
  for (size_t i = 0; i < known.size(); ++i)
    expected += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i];
  throw error_at(
      path, node,
      fmt::format("found {}, expected {}{}", describe(node), expected, util::did_you_mean(node.text, known)));
}
template <typename T, size_t N>
std::string text_of(T value, const std::array<Word<T>, N>& words) {
  for (const auto& word : words)
    if (word.value == value) return std::string(word.text);
  return "";
}

std::string with_home(const std::string& path, const Node& node) {
  try {
    return util::with_home(as_text(path, node));
  } catch (const Error& error) {
    if (!error.where().empty()) throw;
    throw error_at(path, node, error.message(), error.remedy());
  }
}

constexpr std::array<Word<Profile>, 2> kProfiles = {
    {{"documented", Profile::kDocumented}, {"mindstudio", Profile::kMindstudio}}};
constexpr std::array<Word<SaveData>, 3> kSaveData = {
    {{"none", SaveData::kNone}, {"error", SaveData::kError}, {"all", SaveData::kAll}}};
constexpr std::array<Word<Assess>, 3> kAssess = {{{"auto", Assess::kAuto}, {"on", Assess::kOn}, {"off", Assess::kOff}}};
constexpr std::array<Word<Hf32>, 3> kHf32 = {{{"auto", Hf32::kAuto}, {"on", Hf32::kOn}, {"off", Hf32::kOff}}};

}  // namespace

Profile as_profile(const std::string& path, const Node& node) {
  return as_word(path, node, kProfiles);
}
SaveData as_save_data(const std::string& path, const Node& node) {
  return as_word(path, node, kSaveData);
}
Hf32 as_hf32(const std::string& path, const Node& node) {
  return as_word(path, node, kHf32);
}
Assess as_assess(const std::string& path, const Node& node) {
  return as_word(path, node, kAssess);
}
std::string word_of(Profile value) {
  return text_of(value, kProfiles);
}
std::string word_of(SaveData value) {
  return text_of(value, kSaveData);
}
std::string word_of(Assess value) {
  return text_of(value, kAssess);
}
std::string word_of(Hf32 value) {
  return text_of(value, kHf32);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string exact(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string yes_no(bool on) {
  return on ? "yes" : "no";
}
std::string on_off(bool on) {
  return on ? "on" : "off";
}

std::string joined(const ApiList& list) {
  return fmt::format("{}", fmt::join(list.entries(), " "));
}
std::string list_of(const ApiList& list) {
  std::string out = "[";
  for (const std::string& name : list.entries()) out += (out.size() == 1 ? "" : ", ") + quoted(name);
  return out + "]";
}

ApiList read_names(const std::string& path, const Node& node) {
  std::vector<std::string> names = as_text_list(path, node);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty() && names[i].find_first_of(" \t\n") == std::string::npos) continue;
    Node item = node.children[i];
    item.key = node.key;
    throw error_at(path, item, fmt::format("found the text \"{}\", expected the name of an API", names[i]),
                   "write it as conv2d or Functional.conv2d");
  }
  return names;
}

std::string read_file_path(const std::string& path, const Node& node) {
  const std::string named = with_home(path, node);
  if (named.empty() || named[0] == '/') return named;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? named : path.substr(0, slash + 1) + named;
}

void read_error_data_path(const std::string& path, const Node& node, Settings& settings) {
  settings.error_data_path = with_home(path, node);
  if (settings.error_data_path.empty())
    throw error_at(path, node, "is empty, expected a folder", "write \"./\" for the current one");
}

void read_range(const std::string& path, const Node& node, Settings& settings) {
  std::vector<double> ends;
  if (node.kind == Node::Kind::kList)
    for (Node item : node.children) {
      item.key = node.key;
      ends.push_back(as_number(path, item));
    }
  if (ends.size() != 2)
    throw error_at(path, node, fmt::format("found {}, expected two numbers", describe(node)), "write [-1, 1]");
  if (ends[0] > ends[1])
    throw error_at(path, node, fmt::format("goes from {} down to {}, expected the lower end first", ends[0], ends[1]));
  settings.default_range = {ends[0], ends[1]};
}

void read_timeout(const std::string& path, const Node& node, Settings& settings) {
  settings.timeout = as_number(path, node);
  if (settings.timeout < 0)
    throw error_at(path, node, fmt::format("found {}, expected seconds, 0 or more", describe(node)),
                   "0 means no limit");
}

}  // namespace msprobe::config
