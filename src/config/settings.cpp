#include "config/settings.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "config/declarations.h"
#include "config/document.h"
#include "util/edit_distance.h"

namespace msprobe::config {
namespace {

/// The part of a MindStudio config.json that is meant for the checker; run_ut is what earlier versions called it.
bool is_checker_section(std::string_view name) {
  return name == "acc_check" || name == "run_ut";
}

/// The dumper has a precision of its own, "high" or "low", at the top of its config.json.
bool is_dumper_precision(const Node& entry) {
  return entry.key == "precision" && entry.kind == Node::Kind::kString && (entry.text == "high" || entry.text == "low");
}

/// Keys of MindStudio msprobe's files that steer its dumper or versions of its checker with a network part: they mean
/// nothing here and are passed over, so that one file serves both programs.
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

Error unknown_key(const std::string& path, const Node& entry) {
  std::vector<std::string> known;
  std::string all;
  for (const Declaration& setting : declarations()) {
    if (setting.read == nullptr) continue;
    known.emplace_back(setting.key);
    all += (all.empty() ? "" : ", ") + known.back();
  }
  const std::string near = util::did_you_mean(entry.key, known);
  return Error(fmt::format("{}:{}", path, entry.key_line), fmt::format("unknown key {}{}", entry.key, near),
               near.empty() ? "the keys are " + all : "");
}

void read_entry(const std::string& path, const Node& entry, Settings& settings) {
  const Declaration* setting = find_declaration(entry.key);
  if (setting == nullptr || setting->read == nullptr) {
    if (!is_foreign_key(entry.key)) throw unknown_key(path, entry);
    spdlog::debug("{}:{}: {} belongs to MindStudio msprobe and is passed over", path, entry.key_line, entry.key);
    return;
  }
  if (is_dumper_precision(entry)) return;
  if (entry.kind == Node::Kind::kNull) return;  // `white_list:` with nothing behind it
  if (const auto before = settings.origin.find(entry.key); before != settings.origin.end())
    throw error_at(path, entry, "is given twice, first at " + before->second, "keep one of them");
  setting->read(path, entry, settings);
  settings.origin[entry.key] = fmt::format("{}:{}", path, entry.key_line);
}

void read_entries(const std::string& path, const Node& group, bool top, Settings& settings) {
  if (group.kind == Node::Kind::kNull) return;
  if (group.kind != Node::Kind::kMap)
    throw error_at(path, group, fmt::format("found {}, expected keys with values", describe(group)),
                   "write for example `white_list: [\"conv2d\"]`");
  for (const Node& entry : group.children) {
    if (top && is_checker_section(entry.key))
      read_entries(path, entry, false, settings);
    else
      read_entry(path, entry, settings);
  }
}

Settings read_settings(const std::string& path) {
  Settings settings;
  read_entries(path, read_document(path), true, settings);
  return settings;
}

std::string origin_of(const Settings& settings, std::string_view name) {
  const auto found = settings.origin.find(name);
  return found == settings.origin.end() ? "default" : found->second;
}

}  // namespace

Settings load_settings(const std::string& explicit_path) {
  if (!explicit_path.empty()) return read_settings(explicit_path);
  if (const char* named = std::getenv("MSPROBE_CONFIG"); named && *named) {
    try {
      return read_settings(named);
    } catch (const Error& error) {
      throw Error(error.where() + " (named by MSPROBE_CONFIG)", error.message(), error.remedy());
    }
  }
  return read_settings(installed_config("config.yaml"));
}

std::string show(const Settings& settings) {
  std::string out;
  for (const Declaration& setting : declarations()) {
    if (!setting.shown) continue;
    const std::string value = setting.show(settings), origin = origin_of(settings, setting.key);
    // What only the command line can say stands as comments, so that the rest can be used as a config.yaml.
    out += setting.read != nullptr ? fmt::format("{}:", setting.key) : fmt::format("# --{}", setting.key);
    out += fmt::format("{}{}  # {}\n", value.empty() ? "" : " ", value, origin);
  }
  return out;
}

}  // namespace msprobe::config
