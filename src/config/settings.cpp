#include "config/settings.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

#include "config/document.h"
#include "config/keys.h"
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

Error unknown_key(const std::string& path, const Node& entry) {
  std::vector<std::string> known;
  std::string all;
  for (const Key& key : keys()) {
    known.emplace_back(key.name);
    all += (all.empty() ? "" : ", ") + known.back();
  }
  const std::string near = util::did_you_mean(entry.key, known);
  return Error(fmt::format("{}:{}", path, entry.key_line), fmt::format("unknown key {}{}", entry.key, near),
               near.empty() ? "the keys are " + all : "");
}

void read_entry(const std::string& path, const Node& entry, Settings& settings) {
  for (const Key& key : keys()) {
    if (key.name != entry.key) continue;
    if (is_dumper_precision(entry)) return;
    if (entry.kind == Node::Kind::kNull) return;  // `white_list:` with nothing behind it
    if (const auto before = settings.origin.find(entry.key); before != settings.origin.end())
      throw error_at(path, entry, "is given twice, first at " + before->second, "keep one of them");
    key.read(path, entry, settings);
    settings.origin[entry.key] = fmt::format("{}:{}", path, entry.key_line);
    return;
  }
  if (!is_foreign_key(entry.key)) throw unknown_key(path, entry);
  spdlog::debug("{}:{}: {} belongs to MindStudio msprobe and is passed over", path, entry.key_line, entry.key);
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

/// What only the command line can say; shown as comments, so that the rest can be used as a config.yaml.
std::vector<std::pair<std::string, std::string>> command_line_values(const Settings& s) {
  const auto yes_no = [](bool on) { return std::string(on ? "yes" : "no"); };
  return {{"api_info", s.api_info},
          {"out_path", s.out_path},
          {"result_csv_path", s.result_csv_path},
          {"device_type", s.device_type},
          {"device", fmt::format("{}", fmt::join(s.devices, " "))},
          {"torch_npu", s.torch_npu},
          {"jit_compile", yes_no(s.jit_compile)},
          {"filter_api", yes_no(s.filter_api)},
          {"only", s.only},
          {"except", s.except},
          {"num_splits", std::to_string(s.num_splits)},
          {"fail-on", s.fail_on},
          {"max-errors", std::to_string(s.max_errors)},
          {"rerun-failed", s.rerun_failed},
          {"shard", fmt::format("{}/{}", s.shard, s.shards)}};
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
  for (const Key& key : keys()) {
    const std::string value = key.show(settings);
    out += fmt::format("{}:{}{}  # {}\n", key.name, value.empty() ? "" : " ", value, origin_of(settings, key.name));
  }
  for (const auto& [name, value] : command_line_values(settings))
    out += fmt::format("# --{}{}{}  # {}\n", name, value.empty() ? "" : " ", value, origin_of(settings, name));
  return out;
}

}  // namespace msprobe::config
