#include "options/parse.h"

#include <gtest/gtest.h>

#include <map>

#include "util/error.h"

namespace msprobe::options {
namespace {

using config::Settings;
using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

Request parse_words(Command command, Words words, const Variables& variables = {}, const Settings& file = {}) {
  return parse(
      command, words, [&](const std::string&) { return file; },
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      });
}

Settings acc(Words words, const Variables& variables = {}, const Settings& file = {}) {
  words.insert(words.begin(), {"-api_info", "dump.json"});
  return parse_words(Command::kAccCheck, words, variables, file).settings;
}

std::string error_of(Command command, const Words& words, const Variables& variables = {}) {
  try {
    parse_words(command, words, variables);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseTest, DefaultsAreTheFilesAndOneWorker) {
  Settings file;
  file.timeout = 7;
  file.seed = 99;
  const Settings settings = acc({}, {}, file);
  EXPECT_EQ(settings.api_info, "dump.json");
  EXPECT_EQ(settings.out_path, "./");
  EXPECT_EQ(settings.devices, std::vector<int>{0});
  EXPECT_EQ(settings.num_splits, 1);
  EXPECT_EQ(settings.timeout, 7);
  EXPECT_EQ(settings.seed, 99u);
  EXPECT_EQ(settings.shards, 1);
  EXPECT_EQ(settings.save_data, config::SaveData::kNone);
}

TEST(ParseTest, EveryOptionOfAccCheckReachesItsSetting) {
  const Settings s = acc({"-o",
                          "out",
                          "-j",
                          "-d",
                          "2",
                          "-csv_path",
                          "r.csv",
                          "-f",
                          "-save_error_data",
                          "--device_type",
                          "cuda",
                          "--torch_npu",
                          "/opt/npu",
                          "--only",
                          "conv.*",
                          "--except",
                          "relu",
                          "--list",
                          "--timeout",
                          "2.5",
                          "--threads",
                          "3",
                          "--seed",
                          "18446744073709551615",
                          "--fail-on",
                          "warning",
                          "--max-errors",
                          "4",
                          "--rerun-failed",
                          "old.csv",
                          "--shard",
                          "1/3",
                          "-v",
                          "-v"});
  EXPECT_EQ(s.out_path, "out");
  EXPECT_TRUE(s.jit_compile);
  EXPECT_EQ(s.devices, std::vector<int>{2});
  EXPECT_EQ(s.result_csv_path, "r.csv");
  EXPECT_TRUE(s.filter_api);
  EXPECT_EQ(s.save_data, config::SaveData::kError);
  EXPECT_EQ(s.device_type, "cuda");
  EXPECT_EQ(s.torch_npu, "/opt/npu");
  EXPECT_EQ(s.only, "conv.*");
  EXPECT_EQ(s.except, "relu");
  EXPECT_TRUE(s.list);
  EXPECT_EQ(s.timeout, 2.5);
  EXPECT_EQ(s.threads, 3);
  EXPECT_EQ(s.seed, 18446744073709551615u);
  EXPECT_EQ(s.fail_on, "warning");
  EXPECT_EQ(s.max_errors, 4);
  EXPECT_EQ(s.rerun_failed, "old.csv");
  EXPECT_EQ(s.shard, 1);
  EXPECT_EQ(s.shards, 3);
  EXPECT_EQ(s.verbosity, 2);
}

TEST(ParseTest, CommandLineWinsOverTheFileAndSaysSo) {
  Settings file;
  file.timeout = 7;
  file.origin["timeout"] = "config.yaml:3";
  file.origin["seed"] = "config.yaml:4";
  const Settings settings = acc({"--timeout", "9"}, {}, file);
  EXPECT_EQ(settings.timeout, 9);
  EXPECT_EQ(settings.origin.at("timeout"), "command line");
  EXPECT_EQ(settings.origin.at("seed"), "config.yaml:4");
}

TEST(ParseTest, SaveErrorDataDoesNotLowerTheFilesAll) {
  Settings file;
  file.save_data = config::SaveData::kAll;
  EXPECT_EQ(acc({"-save_error_data"}, {}, file).save_data, config::SaveData::kAll);
}

TEST(ParseTest, ConfigNamesTheFileToLoadWhereverItStands) {
  std::string loaded = "nothing";
  const auto load = [&](const std::string& path) {
    loaded = path;
    return Settings{};
  };
  parse(Command::kAccCheck, {"--timeout", "3", "-api_info", "d.json", "-config", "c.json"}, load,
        [](const char*) { return nullptr; });
  EXPECT_EQ(loaded, "c.json");
}

TEST(ParseTest, MultiAccCheckHasEightWorkers) {
  EXPECT_EQ(parse_words(Command::kMultiAccCheck, {"-api_info", "d.json"}).settings.num_splits, 8);
  const Settings s =
      parse_words(Command::kMultiAccCheck, {"-api_info", "d.json", "-n", "32", "-d", "0", "1", "2", "3"}).settings;
  EXPECT_EQ(s.num_splits, 32);
  EXPECT_EQ(s.devices, (std::vector<int>{0, 1, 2, 3}));
}

TEST(ParseTest, AccCheckHasOneWorkerADevice) {
  EXPECT_EQ(acc({"-d", "0", "1"}).num_splits, 2);
}

TEST(ParseTest, CompareTakesBothFiles) {
  const Request request = parse_words(Command::kPrecisionCompare, {"-npu", "n.csv", "-gpu", "g.csv", "-o", "out"});
  EXPECT_EQ(request.npu_csv, "n.csv");
  EXPECT_EQ(request.gpu_csv, "g.csv");
  EXPECT_EQ(request.settings.out_path, "out");
}

TEST(ParseTest, MergeTakesItsPartsWithoutAName) {
  const Request request = parse_words(Command::kMerge, {"a", "-o", "joined", "b,c"});
  EXPECT_EQ(request.parts, (Words{"a", "b,c"}));
  EXPECT_EQ(request.settings.out_path, "joined");
  EXPECT_EQ(error_of(Command::kMerge, {}), "merge needs PART...; for example: msprobe merge ./out -o ./joined");
}

TEST(ParseTest, DiffTakesTwoResultsWithoutAName) {
  const Request request = parse_words(Command::kDiff, {"old", "new", "-o", "out", "--fail-on", "worse", "-q"});
  EXPECT_EQ(request.results, (Words{"old", "new"}));
  EXPECT_EQ(request.settings.out_path, "out");
  EXPECT_EQ(request.settings.fail_on, "worse");
  EXPECT_EQ(request.settings.verbosity, -1);
}

TEST(ParseTest, ADumpNeedsNoName) {
  const Request request = parse_words(Command::kAccCheck, {"d.json", "-d", "0", "1"});
  EXPECT_EQ(request.settings.api_info, "d.json");
  EXPECT_EQ(request.commands.repeat, "msprobe acc_check -api_info d.json -d 0 1");
}

TEST(ParseTest, HelpNeedsNothingElse) {
  EXPECT_TRUE(parse_words(Command::kAccCheck, {"-h"}).help);
  EXPECT_TRUE(parse_words(Command::kPrecisionCompare, {"--help"}).help);
}

TEST(ParseTest, ShowConfigNeedsNoDump) {
  EXPECT_TRUE(parse_words(Command::kAccCheck, {"--show-config"}).show_config);
}

TEST(ParseTest, LauncherGivesTheShard) {
  const std::vector<std::pair<Variables, std::pair<int, int>>> cases = {
      {{{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, {2, 4}},
      {{{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}}, {1, 3}},
      {{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "3"}}, {0, 1}},  // a batch script: one process, whatever was allocated
      {{{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "8"}, {"SLURM_STEP_NUM_TASKS", "2"}}, {1, 2}},
      {{{"JOB_COMPLETION_INDEX", "0"}, {"JOB_COMPLETIONS", "5"}}, {0, 5}},
      {{{"SLURM_PROCID", "1"}}, {0, 1}},
      {{{"OMPI_COMM_WORLD_RANK", ""}, {"OMPI_COMM_WORLD_SIZE", "4"}}, {0, 1}},
  };
  for (const auto& [variables, expected] : cases) {
    const Settings settings = acc({}, variables);
    EXPECT_EQ(std::pair(settings.shard, settings.shards), expected) << variables.begin()->first;
  }
}

TEST(ParseTest, ARankWithoutASizeIsToldAndTheWholeDumpIsChecked) {
  const std::vector<std::pair<Variables, std::string>> cases = {
      {{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}},
       "SLURM_PROCID is 0, but SLURM_STEP_NUM_TASKS is not set: this process checks the whole dump; start msprobe with "
       "srun for a part a task, or give --shard 0/N"},
      {{{"JOB_COMPLETION_INDEX", "2"}},
       "JOB_COMPLETION_INDEX is 2, but JOB_COMPLETIONS is not set: this process checks the whole dump; set it to the "
       "number of processes, or give --shard 2/N"},
  };
  for (const auto& [variables, warning] : cases) {
    const Request request = parse_words(Command::kAccCheck, {"-api_info", "dump.json"}, variables);
    EXPECT_EQ(request.settings.shards, 1);
    EXPECT_EQ(request.warnings, Words{warning});
  }
}

TEST(ParseTest, ShardOptionWinsOverTheLauncher) {
  const Settings settings = acc({"--shard", "0/2"}, {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_EQ(std::pair(settings.shard, settings.shards), std::pair(0, 2));
  EXPECT_EQ(settings.origin.at("shard"), "command line");
}

TEST(ParseTest, CommandsToCopyKeepWhatWasGiven) {
  const Words words = {"-api_info", "my dump.json", "-d",     "0",   "1",  "-n",     "4", "-config", "it's.json",
                       "-csv_path", "old.csv",      "--only", "a|b", "-f", "--seed", "7", "-o",      "out"};
  const Commands commands = parse_words(Command::kMultiAccCheck, words).commands;
  EXPECT_EQ(commands.repeat,
            R"(msprobe acc_check -api_info 'my dump.json' -config 'it'\''s.json' -d 0 1 --seed 7 -o out)");
  EXPECT_EQ(
      commands.resume,
      R"(msprobe multi_acc_check -api_info 'my dump.json' -config 'it'\''s.json' -f --only 'a|b' -d 0 1 -n 4 --seed 7 -o out)");
}

TEST(ParseTest, ResumeNamesTheShardOfTheLauncher) {
  const Variables variables = {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
  EXPECT_EQ(parse_words(Command::kAccCheck, {"-api_info", "d.json"}, variables).commands.resume,
            "msprobe acc_check -api_info d.json --shard 2/4");
  EXPECT_EQ(parse_words(Command::kAccCheck, {"-api_info", "d.json", "--shard", "1/2"}, variables).commands.resume,
            "msprobe acc_check -api_info d.json --shard 1/2");
}

TEST(ParseTest, Refusals) {
  const Words dump = {"-api_info", "d.json"};
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"-d", "0", "0"}, "-d: device 0 is named twice; name each device once"},
      {{"-d", "-1"}, "-d: \"-1\" is not a whole number of 0 or more"},
      {{"-d", "1.5"}, "-d: \"1.5\" is not a whole number of 0 or more"},
      {{"--device_type", "nup"}, "--device_type: \"nup\" is not one of npu, cuda, cpu, did you mean npu?"},
      {{"--timeout", "soon"}, "--timeout: \"soon\" is not a number of seconds, 0 or more"},
      {{"--timeout", "nan"}, "--timeout: \"nan\" is not a number of seconds, 0 or more"},
      {{"--threads", "-1"}, "--threads: \"-1\" is not a whole number from 0 to 4096"},
      {{"--seed", "-1"}, "--seed: \"-1\" is not a whole number from 0 to 18446744073709551615"},
      {{"--shard", "3/3"}, "--shard: \"3/3\" is not a part i/n with 0 <= i < n, such as 0/4"},
      {{"--shard", "-1/4"}, "--shard: \"-1/4\" is not a part i/n with 0 <= i < n, such as 0/4"},
      {{"--shard", "0/65537"}, "--shard: \"0/65537\" is one of 65537 parts, at most 65536 are possible"},
      {{"--only", "(a)\\1"},
       "--only: \"(a)\\1\" cannot be matched in good time, as back-references (\\1) never can; write out what is to be "
       "found"},
      {{"--out_path=~nobody/x"},
       "-o: \"~nobody/x\" begins with ~, which only a shell can resolve; write the folder out (./~ for one of that "
       "name)"},
      {{"--shard", "1"}, "--shard: \"1\" is not a part i/n with 0 <= i < n, such as 0/4"},
      {{"--fail-on", "errors"},
       "--fail-on: \"errors\" is not one of error, warning, skip, suspect, did you mean error?"},
      {{"--only", "conv("},
       "--only: \"conv(\" is not a regular expression; put \\ before a character such as ( [ * + that stands for "
       "itself"},
      {{"-n", "3"}, "unknown option -n; -n belongs to multi_acc_check"},
  };
  for (const auto& [words, message] : cases) {
    Words all = dump;
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(error_of(Command::kAccCheck, all), message);
  }
  EXPECT_EQ(error_of(Command::kDiff, {"old"}),
            "diff needs two results, OLD and NEW, found 1; for example: msprobe diff ./old ./new");
  EXPECT_EQ(error_of(Command::kDiff, {"old", "new", "newer"}),
            "diff needs two results, OLD and NEW, found 3; for example: msprobe diff ./old ./new");
  EXPECT_EQ(error_of(Command::kDiff, {}), "diff needs OLD NEW; for example: msprobe diff ./old ./new");
  EXPECT_EQ(error_of(Command::kDiff, {"old", "new", "--fail-on", "error"}), "--fail-on: \"error\" is not one of worse");
  EXPECT_EQ(error_of(Command::kMultiAccCheck, {"-api_info", "d.json", "-n", "65"}),
            "-n: \"65\" is not a whole number from 1 to 64");
  EXPECT_EQ(
      error_of(Command::kAccCheck, {}),
      "acc_check needs -api_info FILE; for example: msprobe acc_check -api_info ./dump_path/step0/rank0/dump.json");
  EXPECT_EQ(
      error_of(Command::kAccCheck, dump, {{"SLURM_PROCID", "4"}, {"SLURM_STEP_NUM_TASKS", "4"}}),
      "SLURM_PROCID and SLURM_STEP_NUM_TASKS: \"4/4\" is not a part i/n with 0 <= i < n, such as 0/4; or name the "
      "part with --shard i/n");
  EXPECT_EQ(
      error_of(Command::kAccCheck, dump, {{"SLURM_PROCID", "4"}, {"SLURM_STEP_NUM_TASKS", "2147483647"}}),
      "SLURM_PROCID and SLURM_STEP_NUM_TASKS: \"4/2147483647\" is one of 2147483647 parts, at most 65536 are possible; "
      "or name the part with --shard i/n");
}

}  // namespace
}  // namespace msprobe::options
