#include "config/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
std::string word_of(T value, const std::array<Word<T>, N>& words) {
  for (const auto& word : words)
    if (word.value == value) return std::string(word.text);
  return "";
}

constexpr std::array<Word<Profile>, 2> kProfiles = {
    {{"documented", Profile::kDocumented}, {"mindstudio", Profile::kMindstudio}}};
constexpr std::array<Word<SaveData>, 3> kSaveData = {
    {{"none", SaveData::kNone}, {"error", SaveData::kError}, {"all", SaveData::kAll}}};
constexpr std::array<Word<Hf32>, 3> kHf32 = {{{"auto", Hf32::kAuto}, {"on", Hf32::kOn}, {"off", Hf32::kOff}}};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
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

std::string with_home(const std::string& path, const Node& node) {
  try {
    return util::with_home(as_text(path, node));
  } catch (const Error& error) {
    if (!error.where().empty()) throw;
    throw error_at(path, node, error.message(), error.remedy());
  }
}

/// Paths of other configuration files are meant beside the file that names them.
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

constexpr int kMostThreads = 65536;

}  // namespace

const std::vector<Key>& keys() {
  using S = Settings;
  using P = const std::string&;
  using N = const Node&;
  static const std::vector<Key> table = {
      {"quantization_api_list", [](P p, N n, S& s) { s.quantization_api_list = read_names(p, n); },
       [](const S& s) {
         return s.quantization_api_list.empty() && !s.origin.contains("quantization_api_list")
                    ? ""
                    : list_of(s.quantization_api_list);
       }},
      {"white_list", [](P p, N n, S& s) { s.white_list = read_names(p, n); },
       [](const S& s) { return list_of(s.white_list); }},
      {"black_list", [](P p, N n, S& s) { s.black_list = read_names(p, n); },
       [](const S& s) { return list_of(s.black_list); }},
      {"error_data_path", read_error_data_path, [](const S& s) { return quoted(s.error_data_path); }},
      {"precision", [](P p, N n, S& s) { s.precision = static_cast<int>(as_integer(p, n, 0, 20)); },
       [](const S& s) { return std::to_string(s.precision); }},
      {"precision_profile", [](P p, N n, S& s) { s.profile = as_word(p, n, kProfiles); },
       [](const S& s) { return word_of(s.profile, kProfiles); }},
      {"save_data", [](P p, N n, S& s) { s.save_data = as_word(p, n, kSaveData); },
       [](const S& s) { return word_of(s.save_data, kSaveData); }},
      {"seed", [](P p, N n, S& s) { s.seed = as_unsigned(p, n); }, [](const S& s) { return std::to_string(s.seed); }},
      {"default_range", read_range,
       [](const S& s) { return fmt::format("[{}, {}]", s.default_range[0], s.default_range[1]); }},
      {"hf32_inputs", [](P p, N n, S& s) { s.hf32_inputs = as_word(p, n, kHf32); },
       [](const S& s) { return word_of(s.hf32_inputs, kHf32); }},
      {"timeout", read_timeout, [](const S& s) { return fmt::format("{}", s.timeout); }},
      {"threads", [](P p, N n, S& s) { s.threads = static_cast<int>(as_integer(p, n, 0, kMostThreads)); },
       [](const S& s) { return std::to_string(s.threads); }},
      {"precision_standard", [](P p, N n, S& s) { s.precision_standard = read_file_path(p, n); },
       [](const S& s) { return s.precision_standard.empty() ? "" : quoted(s.precision_standard); }},
      {"fused_operators", [](P p, N n, S& s) { s.fused_operators = read_file_path(p, n); },
       [](const S& s) { return s.fused_operators.empty() ? "" : quoted(s.fused_operators); }},
  };
  return table;
}

bool is_foreign_key(std::string_view name) {
  static constexpr std::string_view kForeign[] = {
      // the dumper's
      "task", "dump_path", "rank", "step", "level", "extra_info", "async_dump", "dump_enable", "risk_level",
      "custom_op_namespaces", "load", "seed_all", "is_deterministic", "enable_dataloader", "acl_config", "summary_mode",
      "scope", "list", "data_mode", "slice", "request_id", "diff_nums", "tensor_list", "bench_path", "statistics",
      "tensor", "structure", "diff_check", "nan_check", "overflow_check", "free_benchmark", "grad_probe",
      "exception_dump", "debug",
      // the checker's, of versions that could send data to another host
      "is_online", "nfs_path", "host", "port", "rank_list", "tls_path", "master_ip", "master_port", "is_benchmark_log"};
  return std::find(std::begin(kForeign), std::end(kForeign), name) != std::end(kForeign);
}

}  // namespace msprobe::config
