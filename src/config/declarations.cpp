#include "config/declarations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/chosen.h"
#include "config/setting_values.h"

namespace msprobe::config {
namespace {

using S = Settings;
using P = const std::string&;
using N = const Node&;

constexpr std::string_view kSkipSays = "the others are SKIP, and their Message says so";
constexpr std::string_view kWhichRows = "which rows a run has is compared with the dump, row by row";

std::string show_quantization(const S& s) {
  const bool given = !s.quantization_api_list.empty() || s.origin.contains("quantization_api_list");
  return given ? list_of(s.quantization_api_list) : "";
}

/// The list in effect. Who needs a standard that cannot be read says so.
std::string record_quantization(const S& s) {
  if (s.origin.contains("quantization_api_list")) return joined(s.quantization_api_list);
  try {
    return joined(in_effect(s).quantization_api_list);
  } catch (const Error&) {
    return joined(s.quantization_api_list);
  }
}

std::string shown_range(const S& s) {
  return fmt::format("[{}, {}]", s.default_range[0], s.default_range[1]);
}
std::string recorded_range(const S& s) {
  return exact(s.default_range[0]) + " " + exact(s.default_range[1]);
}
std::string recorded_error_data(const S& s) {
  return s.save_data == SaveData::kNone ? "" : s.error_data_path;
}

// clang-format off
constexpr Declaration kDeclarations[] = {
    // ---- files, some on the command line as well
    {.key = "quantization_api_list",
     .read = [](P p, N n, S& s) { s.quantization_api_list = read_names(p, n); },
     .show = show_quantization, .recorded = record_quantization},
    {.key = "white_list",
     .read = [](P p, N n, S& s) { s.white_list = read_names(p, n); },
     .show = [](const S& s) { return list_of(s.white_list); },
     .rows = Rows::kTold, .harmless_because = kSkipSays,
     .recorded = [](const S& s) { return joined(s.white_list); }},
    {.key = "black_list",
     .read = [](P p, N n, S& s) { s.black_list = read_names(p, n); },
     .show = [](const S& s) { return list_of(s.black_list); },
     .rows = Rows::kTold, .harmless_because = kSkipSays,
     .recorded = [](const S& s) { return joined(s.black_list); }},
    {.key = "error_data_path", .read = read_error_data_path,
     .show = [](const S& s) { return quoted(s.error_data_path); },
     .rows = Rows::kTold, .harmless_because = "no row tells where tensors are kept", .parts = Parts::kAny,
     .recorded = recorded_error_data},
    {.key = "precision",
     .read = [](P p, N n, S& s) { s.precision = static_cast<int>(as_integer(p, n, 0, 20)); },
     .show = [](const S& s) { return std::to_string(s.precision); }},
    {.key = "precision_profile",
     .read = [](P p, N n, S& s) { s.profile = as_profile(p, n); },
     .show = [](const S& s) { return word_of(s.profile); }},
    {.key = "save_data", .option = "--save_error_data",
     .read = [](P p, N n, S& s) { s.save_data = as_save_data(p, n); },
     .show = [](const S& s) { return word_of(s.save_data); },
     .rows = Rows::kTold, .harmless_because = "no row tells whether tensors are kept", .parts = Parts::kAny},
    {.key = "assess",
     .read = [](P p, N n, S& s) { s.assess = as_assess(p, n); },
     .show = [](const S& s) { return word_of(s.assess); }},
    {.key = "seed", .option = "--seed",
     .read = [](P p, N n, S& s) { s.seed = as_unsigned(p, n); },
     .show = [](const S& s) { return std::to_string(s.seed); }},
    {.key = "default_range", .read = read_range, .show = shown_range, .recorded = recorded_range},
    {.key = "hf32_inputs",
     .read = [](P p, N n, S& s) { s.hf32_inputs = as_hf32(p, n); },
     .show = [](const S& s) { return word_of(s.hf32_inputs); }},
    {.key = "timeout", .option = "--timeout", .read = read_timeout,
     .show = [](const S& s) { return fmt::format("{}", s.timeout); },
     .rows = Rows::kTold, .harmless_because = "an API that takes longer is SKIP, and its Message says so",
     .recorded = [](const S& s) { return exact(s.timeout); }},
    {.key = "threads", .option = "--threads",
     .read = [](P p, N n, S& s) { s.threads = static_cast<int>(as_integer(p, n, 0, kMostThreads)); },
     .show = [](const S& s) { return std::to_string(s.threads); },
     .rows = Rows::kTold, .harmless_because = "the last digits of large APIs alone", .parts = Parts::kWarned},
    {.key = "precision_standard",
     .read = [](P p, N n, S& s) { s.precision_standard = read_file_path(p, n); },
     .show = [](const S& s) { return s.precision_standard.empty() ? "" : quoted(s.precision_standard); },
     .by_contents = true},
    {.key = "fused_operators",
     .read = [](P p, N n, S& s) { s.fused_operators = read_file_path(p, n); },
     .show = [](const S& s) { return s.fused_operators.empty() ? "" : quoted(s.fused_operators); },
     .by_contents = true},

    // ---- the command line alone
    {.key = "api_info", .option = "--api_info_file",
     .show = [](const S& s) { return s.api_info; },
     .rows = Rows::kNotAsked, .harmless_because = "what the dump holds is compared, wherever it lies"},
    {.key = "out_path", .option = "--out_path",
     .show = [](const S& s) { return s.out_path; },
     .rows = Rows::kNotAsked, .harmless_because = "no row tells where the files lie"},
    {.key = "result_csv_path", .option = "--result_csv_path",
     .show = [](const S& s) { return s.result_csv_path; },
     .rows = Rows::kNotAsked, .harmless_because = "it names the run that goes on"},
    {.key = "device_type", .option = "--device_type",
     .show = [](const S& s) { return s.device_type; }},
    {.key = "device", .option = "--device",
     .show = [](const S& s) { return fmt::format("{}", fmt::join(s.devices, " ")); },
     .rows = Rows::kNotAsked, .harmless_because = "cards of one type compute alike"},
    {.key = "torch_npu", .option = "--torch_npu",
     .show = [](const S& s) { return s.torch_npu; },
     .rows = Rows::kTold, .harmless_because = "it lies elsewhere on another machine", .parts = Parts::kAny,
     .recorded = [](const S& s) { return s.device_type == "npu" ? s.torch_npu : ""; }},
    {.key = "jit_compile", .option = "--jit_compile",
     .show = [](const S& s) { return yes_no(s.jit_compile); },
     .rows = Rows::kTold, .harmless_because = "the last digits of what an NPU computes alone",
     .recorded = [](const S& s) { return on_off(s.jit_compile); }},
    {.key = "filter_api", .option = "--filter_api",
     .show = [](const S& s) { return yes_no(s.filter_api); },
     .rows = Rows::kTold, .harmless_because = kWhichRows,
     .recorded = [](const S& s) { return on_off(s.filter_api); }},
    {.key = "only", .option = "--only",
     .show = [](const S& s) { return s.only; },
     .rows = Rows::kTold, .harmless_because = kWhichRows, .parts = Parts::kAlikeWhenSharded},
    {.key = "except", .option = "--except",
     .show = [](const S& s) { return s.except; },
     .rows = Rows::kTold, .harmless_because = kWhichRows, .parts = Parts::kAlikeWhenSharded},
    {.key = "num_splits", .option = "--num_splits",
     .show = [](const S& s) { return std::to_string(s.num_splits); },
     .rows = Rows::kNotAsked, .harmless_because = "rows are the same with any number of workers"},
    {.key = "fail-on", .option = "--fail-on",
     .show = [](const S& s) { return s.fail_on; },
     .rows = Rows::kNotAsked, .harmless_because = "the exit code alone"},
    {.key = "max-errors", .option = "--max-errors",
     .show = [](const S& s) { return std::to_string(s.max_errors); },
     .rows = Rows::kTold, .harmless_because = "when a run stops", .parts = Parts::kAny},
    {.key = "rerun-failed", .option = "--rerun-failed",
     .show = [](const S& s) { return s.rerun_failed; },
     .rows = Rows::kTold, .harmless_because = kWhichRows, .parts = Parts::kAlikeWhenSharded},
    {.key = "shard", .option = "--shard",
     .show = [](const S& s) { return fmt::format("{}/{}", s.shard, s.shards); },
     .rows = Rows::kTold, .harmless_because = kWhichRows, .parts = Parts::kAny},
    {.key = "list", .option = "--list",
     .show = [](const S& s) { return yes_no(s.list); },
     .shown = false, .rows = Rows::kNotAsked, .harmless_because = "nothing is run"},
    {.key = "verbosity", .option = "--verbose",
     .show = [](const S& s) { return std::to_string(s.verbosity); },
     .shown = false, .rows = Rows::kNotAsked, .harmless_because = "the terminal alone"},
};
// clang-format on

}  // namespace

std::string Declaration::record_key() const {
  std::string name(key);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::span<const Declaration> declarations() {
  return kDeclarations;
}

const Declaration* find_declaration(std::string_view key) {
  const auto all = declarations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Declaration& d) { return d.key == key; });
  return found == all.end() ? nullptr : &*found;
}

const Declaration* find_recorded(std::string_view record_key) {
  const auto all = declarations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Declaration& d) {
    return d.rows != Rows::kNotAsked && d.record_key() == record_key;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace msprobe::config
