// Everything a run may be told: config.yaml / config.json (docs/configuration.md), then the command line, in one plain
// struct.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/api_list.h"

namespace msprobe::config {

/// documented: the user's document. mindstudio: figures and verdicts comparable with MindStudio msprobe's.
enum class Profile { kDocumented, kMindstudio };
enum class SaveData { kNone, kError, kAll };
enum class Hf32 { kAuto, kOn, kOff };
/// kAuto: profile documented does.
enum class Assess { kAuto, kOn, kOff };

struct Settings {
  // ---- config file keys (docs/configuration.md#keys), same names
  ApiList white_list, black_list;
  std::string error_data_path = "./";
  int precision = 14;  ///< digits after the point, 0..20
  Profile profile = Profile::kDocumented;
  SaveData save_data = SaveData::kNone;
  Assess assess = Assess::kAuto;  ///< give assessments (docs/verdicts.md)
  uint64_t seed = 1234;
  std::array<double, 2> default_range{-1, 1};
  Hf32 hf32_inputs = Hf32::kAuto;
  double timeout = 600;            ///< seconds an API may take, 0 = none
  int threads = 0;                 ///< CPU threads of the run, 0 = all cores
  std::string precision_standard;  ///< path; empty: the installed file
  std::string fused_operators;     ///< path; empty: the installed file
  ApiList quantization_api_list;   ///< not given: the list of precision_standard.yaml (quantization_apis)

  // ---- command line
  std::string device_type;  ///< "", "npu", "cuda", "cpu"
  std::vector<int> devices{0};
  std::string torch_npu;  ///< --torch_npu PATH
  bool jit_compile = false;
  std::string api_info;  ///< dump.json
  std::string out_path = "./";
  std::string result_csv_path;  ///< resume
  bool filter_api = false;
  std::string only, except;  ///< regular expressions on full API names
  bool list = false;
  int num_splits = 1;         ///< multi_acc_check -n
  int verbosity = 0;          ///< -1 quiet, 1, 2 verbose
  std::string fail_on;        ///< "", "error", "warning", "skip", "suspect"
  int64_t max_errors = 0;     ///< 0 = no limit
  std::string rerun_failed;   ///< a result CSV
  int shard = 0, shards = 1;  ///< --shard i/n

  bool assesses() const { return assess == Assess::kAuto ? profile == Profile::kDocumented : assess == Assess::kOn; }

  /// Where each value came from ("default", "config.yaml:12", "command line"), for --show-config. By key.
  std::map<std::string, std::string, std::less<>> origin;
};

/// Reads `explicit_path` (-config; .json or .yaml), else $MSPROBE_CONFIG, else the installed config.yaml.
/// A config.json replaces config.yaml whole. Throws Error with file, line and the nearest known name for unknown keys
/// and wrong types.
Settings load_settings(const std::string& explicit_path);

/// The installed config directory: beside the binary's prefix (share/msprobe), the build tree's source, or
/// $MSPROBE_CONFIG_DIR. Throws Error when none holds `file`.
std::string installed_config(const std::string& file);

/// All keys with value and origin, one a line (--show-config).
std::string show(const Settings& settings);

}  // namespace msprobe::config
