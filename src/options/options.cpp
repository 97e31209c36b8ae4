#include "options/options.h"

#include <algorithm>
#include <limits>

#include "options/values.h"
#include "util/home.h"

namespace msprobe::options {
namespace {

using Values = std::vector<std::string>;

constexpr unsigned kAcc = in(Command::kAccCheck);
constexpr unsigned kMulti = in(Command::kMultiAccCheck);
constexpr unsigned kCompare = in(Command::kPrecisionCompare);
constexpr unsigned kMerge = in(Command::kMerge);
constexpr unsigned kApis = in(Command::kApis);
constexpr unsigned kDiff = in(Command::kDiff);
constexpr unsigned kOverview = in(Command::kOverview);
constexpr unsigned kChecks = kAcc | kMulti;
constexpr unsigned kConfigured = kChecks | kCompare;
constexpr unsigned kAll = kConfigured | kMerge | kApis | kDiff | kOverview;
constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
constexpr int kMaxThreads = 4096;

constexpr std::string_view kInput = "What to check";
constexpr std::string_view kDevice = "Where and how";
constexpr std::string_view kOutput = "Results";
constexpr std::string_view kGeneral = "General";

// clang-format off
const std::vector<Option> kOptions = {
    // ---- what to check
    {.name = "--api_info_file", .aliases = {"-api_info"}, .commands = kChecks, .group = kInput, .takes = Takes::kOne, .value = "FILE",
     .help = "dump.json of step*/rank*/ (required)", .required = true, .mindstudio = true, .bare = true, .key = "api_info",
     .apply = [](Request& r, const Values& v) { r.settings.api_info = util::with_home(v[0]); }},
    {.name = "--npu_csv_path", .aliases = {"-npu"}, .commands = kCompare, .group = kInput, .takes = Takes::kOne, .value = "FILE",
     .help = "the NPU's details CSV", .initial = "the one in ./", .mindstudio = true,
     .apply = [](Request& r, const Values& v) { r.npu_csv = util::with_home(v[0]); }},
    {.name = "--gpu_csv_path", .aliases = {"-gpu"}, .commands = kCompare, .group = kInput, .takes = Takes::kOne, .value = "FILE",
     .help = "the GPU's details CSV", .initial = "the one in ./", .mindstudio = true,
     .apply = [](Request& r, const Values& v) { r.gpu_csv = util::with_home(v[0]); }},
    {.name = "--config_path", .aliases = {"-config"}, .commands = kConfigured | kApis | kDiff, .group = kInput, .takes = Takes::kOne, .value = "FILE",
     .help = "config.json or .yaml, not the installed one", .mindstudio = true,
     .apply = [](Request& r, const Values& v) { r.config_path = util::with_home(v[0]); }},
    {.name = "--parts", .commands = kMerge, .group = kInput, .takes = Takes::kSome, .value = "PART...",
     .help = "folder above shard_*_of_*, or result CSVs", .required = true, .positional = true,
     .apply = [](Request& r, const Values& v) { for (const auto& part : v) r.parts.push_back(util::with_home(part)); }},
    {.name = "--results", .commands = kDiff, .group = kInput, .takes = Takes::kSome, .value = "OLD NEW",
     .help = "result CSVs, or folders that hold them", .required = true, .positional = true,
     .apply = [](Request& r, const Values& v) { for (const auto& result : v) r.results.push_back(util::with_home(result)); }},
    {.name = "--dumps", .commands = kOverview, .group = kInput, .takes = Takes::kSome, .value = "DUMP...",
     .help = "dump.json, or folder above step*/rank*/", .required = true, .positional = true,
     .apply = [](Request& r, const Values& v) { for (const auto& dump : v) r.dumps.push_back(util::with_home(dump)); }},
    {.name = "--filter_api", .aliases = {"-f"}, .commands = kChecks, .group = kInput,
     .help = "of calls alike but for values: the first", .mindstudio = true, .key = "filter_api",
     .apply = [](Request& r, const Values&) { r.settings.filter_api = true; }},
    {.name = "--only", .commands = kChecks | kApis | kOverview, .group = kInput, .takes = Takes::kOne, .value = "REGEX",
     .help = "only APIs whose name has a match", .key = "only",
     .apply = [](Request& r, const Values& v) { r.settings.only = regular_expression(v[0]); }},
    {.name = "--except", .commands = kChecks | kOverview, .group = kInput, .takes = Takes::kOne, .value = "REGEX",
     .help = "not those whose name has a match", .key = "except",
     .apply = [](Request& r, const Values& v) { r.settings.except = regular_expression(v[0]); }},
    {.name = "--rerun-failed", .commands = kChecks, .group = kInput, .takes = Takes::kOne, .value = "CSV",
     .help = "only those with error or warning in this CSV", .key = "rerun-failed",
     .apply = [](Request& r, const Values& v) { r.settings.rerun_failed = util::with_home(v[0]); }},
    {.name = "--shard", .commands = kChecks, .group = kInput, .takes = Takes::kOne, .value = "I/N",
     .help = "part I (from 0) of N", .initial = "mpirun's or srun's", .key = "shard",
     .apply = [](Request& r, const Values& v) { std::tie(r.settings.shard, r.settings.shards) = shard(v[0]); }},
    {.name = "--list", .commands = kChecks, .group = kInput,
     .help = "show what would be checked, and stop", .key = "list",
     .apply = [](Request& r, const Values&) { r.settings.list = true; }},

    // ---- where and how
    {.name = "--device", .aliases = {"-d"}, .commands = kChecks, .group = kDevice, .takes = Takes::kSome, .value = "ID...",
     .help = "cards to run on", .initial = "0", .mindstudio = true, .key = "device",
     .apply = [](Request& r, const Values& v) { r.settings.devices = device_ids(v); }},
    {.name = "--num_splits", .aliases = {"-n"}, .commands = kMulti, .group = kDevice, .takes = Takes::kOne, .value = "N",
     .help = "workers, 1 to 64, at most 8 a card", .initial = "8", .mindstudio = true, .key = "num_splits",
     .apply = [](Request& r, const Values& v) { r.settings.num_splits = static_cast<int>(whole_number(v[0], 1, 64)); }},
    {.name = "--device_type", .commands = kChecks, .group = kDevice, .takes = Takes::kOne, .value = "TYPE",
     .help = "npu, cuda, cpu", .initial = "the first there is", .key = "device_type",
     .apply = [](Request& r, const Values& v) { r.settings.device_type = v[0] == "gpu" ? "cuda" : one_of(v[0], {"npu", "cuda", "cpu"}); }},
    {.name = "--torch_npu", .commands = kChecks | kApis, .group = kDevice, .takes = Takes::kOne, .value = "PATH",
     .help = "torch_npu's folder or libtorch_npu.so", .key = "torch_npu",
     .apply = [](Request& r, const Values& v) { r.settings.torch_npu = util::with_home(v[0]); }},
    {.name = "--jit_compile", .aliases = {"-j"}, .commands = kChecks, .group = kDevice,
     .help = "let an NPU compile its operators at run time", .mindstudio = true, .key = "jit_compile",
     .apply = [](Request& r, const Values&) { r.settings.jit_compile = true; }},
    {.name = "--threads", .commands = kChecks, .group = kDevice, .takes = Takes::kOne, .value = "N",
     .help = "CPU threads of the run, 0: all cores", .initial = "0", .key = "threads",
     .apply = [](Request& r, const Values& v) { r.settings.threads = static_cast<int>(whole_number(v[0], 0, kMaxThreads)); }},
    {.name = "--timeout", .commands = kChecks, .group = kDevice, .takes = Takes::kOne, .value = "SECONDS",
     .help = "an API may take, 0 for ever", .initial = "600", .key = "timeout",
     .apply = [](Request& r, const Values& v) { r.settings.timeout = seconds(v[0]); }},
    {.name = "--seed", .commands = kChecks, .group = kDevice, .takes = Takes::kOne, .value = "N",
     .help = "of the random inputs", .initial = "1234", .key = "seed",
     .apply = [](Request& r, const Values& v) { r.settings.seed = seed_number(v[0]); }},

    // ---- results
    {.name = "--out_path", .aliases = {"-o"}, .commands = kConfigured | kMerge, .group = kOutput, .takes = Takes::kOne, .value = "DIR",
     .help = "folder of the result files", .initial = "./", .mindstudio = true, .key = "out_path",
     .apply = [](Request& r, const Values& v) { r.settings.out_path = util::with_home(v[0]); }},
    {.name = "--result_csv_path", .aliases = {"-csv_path"}, .commands = kChecks, .group = kOutput, .takes = Takes::kOne, .value = "CSV",
     .help = "resume: accuracy_checking_result_*.csv", .mindstudio = true, .key = "result_csv_path",
     .apply = [](Request& r, const Values& v) { r.settings.result_csv_path = util::with_home(v[0]); }},
    {.name = "--save_error_data", .aliases = {"-save_error_data"}, .commands = kChecks, .group = kOutput,
     .help = "keep tensors of APIs that do not pass", .mindstudio = true, .key = "save_data",
     .apply = [](Request& r, const Values&) {
       if (r.settings.save_data == config::SaveData::kNone) r.settings.save_data = config::SaveData::kError;
     }},
    {.name = "--fail-on", .commands = kConfigured | kMerge, .group = kOutput, .takes = Takes::kOne, .value = "STATUS",
     .help = "exit 1: suspect; skip, warning, error or up", .key = "fail-on",
     .apply = [](Request& r, const Values& v) { r.settings.fail_on = one_of(v[0], {"error", "warning", "skip", "suspect"}); }},
    {.name = "--out_path", .aliases = {"-o"}, .commands = kDiff, .group = kOutput, .takes = Takes::kOne, .value = "DIR",
     .help = "write accuracy_diff_{timestamp}.csv there", .key = "out_path",
     .apply = [](Request& r, const Values& v) { r.settings.out_path = util::with_home(v[0]); }},
    {.name = "--fail-on", .commands = kDiff, .group = kOutput, .takes = Takes::kOne, .value = "worse",
     .help = "exit 1 where something got worse", .key = "fail-on",
     .apply = [](Request& r, const Values& v) { r.settings.fail_on = one_of(v[0], {"worse"}); }},
    {.name = "--max-errors", .commands = kChecks, .group = kOutput, .takes = Takes::kOne, .value = "N",
     .help = "stop after N APIs with an error", .initial = "0: never", .key = "max-errors",
     .apply = [](Request& r, const Values& v) { r.settings.max_errors = whole_number(v[0], 0, kAny); }},

    // ---- general
    {.name = "--show-config", .commands = kConfigured, .group = kGeneral,
     .help = "show every setting and its origin, and stop",
     .apply = [](Request& r, const Values&) { r.show_config = true; }},
    {.name = "--quiet", .aliases = {"-q"}, .commands = kConfigured | kDiff | kOverview, .group = kGeneral,
     .help = "only warnings and errors", .key = "verbosity",
     .apply = [](Request& r, const Values&) { r.settings.verbosity = -1; }},
    {.name = "--verbose", .aliases = {"-v"}, .commands = kConfigured | kOverview, .group = kGeneral,
     .help = "say more: of a check, one line an API", .counts = true, .key = "verbosity",
     .apply = [](Request& r, const Values& v) { r.settings.verbosity = static_cast<int>(std::min<size_t>(v.size(), 2)); }},
    {.name = "--help", .aliases = {"-h"}, .commands = kAll, .group = kGeneral,
     .help = "this page",
     .apply = [](Request& r, const Values&) { r.help = true; }},
};

const std::vector<CommandInfo> kCommands = {
    {Command::kAccCheck, "acc_check", "Check a dump: device against float64 on the CPU.",
     "msprobe acc_check -api_info ./dump_path/step0/rank0/dump.json",
     {"msprobe acc_check -api_info dump.json -csv_path accuracy_checking_result_20250101120000.csv"}},
    {Command::kMultiAccCheck, "multi_acc_check", "The same by several workers, on several cards.",
     "msprobe multi_acc_check -api_info ./dump_path/step0/rank0/dump.json -n 32 -d 0 1 2 3",
     {"msprobe multi_acc_check -api_info dump.json -n 8 --only 'matmul|linear'"}},
    {Command::kPrecisionCompare, "api_precision_compare", "Judge the figures of an NPU by those of a GPU.",
     "msprobe api_precision_compare -npu npu/accuracy_checking_details_*.csv -gpu gpu/accuracy_checking_details_*.csv -o .",
     {}},
    {Command::kMerge, "merge", "Join the files of a run's parts to those of one run.", "msprobe merge ./out -o ./joined", {}},
    {Command::kDiff, "diff", "Two runs of one dump: what got better or worse.",
     "msprobe diff ./old ./new", {"msprobe diff old/accuracy_checking_result_*.csv ./new -o . --fail-on worse"}},
    {Command::kApis, "apis", "Show what can be replayed.", "msprobe apis --only 'softmax|npu_'", {}},
    {Command::kOverview, "overview", "Show a dump's ranges, and where inf and nan began.",
     "msprobe overview ./dump_path/step0/rank0/dump.json",
     {"msprobe overview ./dump_path -q"}},
};
// clang-format on

}  // namespace

const std::vector<Option>& options() {
  return kOptions;
}
const std::vector<CommandInfo>& commands() {
  return kCommands;
}

const CommandInfo& info(Command command) {
  return *std::find_if(kCommands.begin(), kCommands.end(), [&](const CommandInfo& c) { return c.command == command; });
}

std::vector<const Option*> options_of(Command command) {
  std::vector<const Option*> found;
  for (const Option& option : kOptions) {
    if (option.commands & in(command)) found.push_back(&option);
  }
  return found;
}

}  // namespace msprobe::options
