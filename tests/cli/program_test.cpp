// The program as a user runs it: command lines in, exit code, output and files out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "options/help.h"
#include "report/csv_reader.h"
#include "support/program.h"

namespace msprobe::cli {
namespace {

namespace fs = std::filesystem;
using support::content;
using support::Outcome;
using support::ProgramFixture;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using ProgramTest = ProgramFixture;

const std::string kDemo = MSPROBE_TEST_DATA "/demo/step0/rank0/dump.json";
const std::string kCheckDemo = "acc_check -api_info '" + kDemo + "' --device_type cpu ";

/// What MindStudio msprobe says of the demo's APIs.
const std::vector<std::array<std::string, 3>> kDemoVerdicts = {{"Tensor.__add__.1", "pass", "pass"},
                                                               {"Tensor.__le__.0", "pass", " "},
                                                               {"Torch.where.0", "pass", " "},
                                                               {"Functional.layer_norm.0", "pass", "pass"},
                                                               {"Tensor.__mul__.0", "pass", "pass"},
                                                               {"Functional.softmax.0", "pass", "pass"},
                                                               {"Torch.matmul.1", "pass", "pass"},
                                                               {"Torch.addmm.1", "pass", "pass"},
                                                               {"Functional.dropout.2", "pass", "pass"},
                                                               {"Torch.tanh.0", "pass", "pass"},
                                                               {"Functional.pad.0", "pass", " "},
                                                               {"Tensor.__iadd__.0", "pass", " "},
                                                               {"Tensor.mul_.4", "pass", " "},
                                                               {"Tensor.sqrt.2", "pass", " "},
                                                               {"Tensor.add_.2", "pass", " "}};

TEST_F(ProgramTest, WithoutASubcommandShowsHelp) {
  const Outcome outcome = msprobe("");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, options::help());
  EXPECT_EQ(outcome.err, "");
}

TEST_F(ProgramTest, HelpOfASubcommand) {
  const Outcome outcome = msprobe("acc_check -h");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, options::help(options::Command::kAccCheck));
}

TEST_F(ProgramTest, VersionNamesLibTorchAndTheCpu) {
  const Outcome outcome = msprobe("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(std::regex_search(
      outcome.out, std::regex("^msprobe \\d+\\.\\d+\\.\\d+ \\([0-9a-z-]+\\)\nLibTorch \\d+\\.\\d+\\.\\d+.*\n")))
      << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("\ncpu "));
}

TEST_F(ProgramTest, BadUsageIsOneLineAndCodeTwo) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"acc_chekc", "msprobe: error: unknown subcommand \"acc_chekc\", did you mean acc_check?\n"},
      {"acc_check --out-pth x", "msprobe: error: unknown option --out-pth, did you mean --out_path?\n"},
      {"acc_check -c x", "msprobe: error: ambiguous option: -c could match -config, -csv_path\n"},
      {"acc_check",
       "msprobe: error: acc_check needs -api_info FILE; for example: msprobe acc_check -api_info "
       "./dump_path/step0/rank0/dump.json\n"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = msprobe(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.err, message);
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(ProgramTest, UnreadableDumpIsCodeTwoAndWritesNothing) {
  const Outcome outcome = msprobe("acc_check -api_info missing.json -o out");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, StartsWith("msprobe: error: missing.json"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(ProgramTest, OutPathThatIsAFileIsCodeTwo) {
  folder_.write("taken", "x");
  const Outcome outcome = msprobe(kCheckDemo + "-o taken");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, StartsWith("msprobe: error: -o: "));
  EXPECT_EQ(content(folder_ / "taken"), "x");
}

TEST_F(ProgramTest, ShowConfigNamesTheOriginOfAValue) {
  folder_.write("c.yaml", "precision: 9\n");
  const Outcome outcome = msprobe("acc_check -config c.yaml --timeout 5 --show-config");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("precision: 9  # c.yaml:1\n"));
  EXPECT_THAT(outcome.out, HasSubstr("timeout: 5  # command line\n"));
  EXPECT_THAT(outcome.out, HasSubstr("seed: 1234  # default\n"));
}

TEST_F(ProgramTest, ChecksTheDemo) {
  const Outcome outcome = msprobe(kCheckDemo + "-o out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const report::Table result = report::read_table(only_file("out", "accuracy_checking_result_").string(), {"Message"});
  ASSERT_EQ(result.rows.size(), kDemoVerdicts.size());
  for (size_t i = 0; i < kDemoVerdicts.size(); ++i) {
    const auto row = result.rows[i];
    EXPECT_EQ((std::array{std::string(row[0]), std::string(row[1]), std::string(row[2])}), kDemoVerdicts[i]) << row[3];
  }
  EXPECT_GT(report::read_table(only_file("out", "accuracy_checking_details_").string(), {"Status"}).rows.size(),
            kDemoVerdicts.size());
}

TEST_F(ProgramTest, FewDigitsAreWarnedOfOnce) {
  const auto warnings = [&](const std::string& precision) {
    folder_.write("c.yaml", "precision: " + precision + "\n");
    const Outcome outcome = msprobe(kCheckDemo + "-config c.yaml -o out" + precision);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string said = outcome.out + outcome.err, warning = "digits after the point round small figures away";
    size_t count = 0;
    for (size_t at = said.find(warning); at != said.npos; at = said.find(warning, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(warnings("3"), 1u);
  EXPECT_EQ(warnings("7"), 1u);
  EXPECT_EQ(warnings("8"), 0u);
}

TEST_F(ProgramTest, OlderFormWithTheFrameworkAndAbbreviations) {
  const Outcome outcome =
      msprobe("-f pytorch acc_check --api '" + kDemo + "' --device_type=cpu -oout -d0 --only 'Torch.where'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(report::read_table(only_file("out", "accuracy_checking_result_").string(), {"Message"}).rows.size(), 1u);
}

TEST_F(ProgramTest, ResumedRunWritesTheSameBytes) {
  ASSERT_EQ(msprobe(kCheckDemo + "-o out").code, 0);
  const fs::path result = only_file("out", "accuracy_checking_result_");
  const fs::path details = only_file("out", "accuracy_checking_details_");
  const std::string whole_result = content(result), whole_details = content(details);
  fs::resize_file(result, whole_result.size() / 2);
  const Outcome outcome = msprobe(kCheckDemo + "-csv_path '" + result.string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(content(result), whole_result);
  EXPECT_EQ(content(details), whole_details);
}

TEST_F(ProgramTest, SeveralWorkersWriteTheSameBytes) {
  // Sums over many elements have other last bits with other numbers of threads; small APIs run beside large ones here.
  const std::string large = "-api_info '" MSPROBE_TEST_DATA "/cli/large_and_small.json' --device_type cpu --threads 4 ";
  for (const std::string filter : {"", "-f "}) {
    const std::string one = "one" + filter;
    ASSERT_EQ(msprobe("acc_check " + filter + large + "-o '" + one + "'").code, 0);
    const std::string result = content(only_file(one, "accuracy_checking_result_"));
    const std::string details = content(only_file(one, "accuracy_checking_details_"));
    EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), filter.empty() ? 17 : 16);
    EXPECT_THAT(result, Not(HasSubstr("SKIP")));
    for (const std::string n : {"2", "8"}) {
      SCOPED_TRACE(filter + "-n " + n);
      const std::string many = "many" + n + filter;
      ASSERT_EQ(msprobe("multi_acc_check -n " + n + " " + filter + large + "-o '" + many + "'").code, 0);
      const fs::path result_path = only_file(many, "accuracy_checking_result_");
      const fs::path details_path = only_file(many, "accuracy_checking_details_");
      EXPECT_EQ(content(result_path), result);
      EXPECT_EQ(content(details_path), details);

      fs::resize_file(result_path, result.size() / 2);
      ASSERT_EQ(
          msprobe("multi_acc_check -n " + n + " " + filter + large + "-csv_path '" + result_path.string() + "'").code,
          0);
      EXPECT_EQ(content(result_path), result);
      EXPECT_EQ(content(details_path), details);
    }
  }
}

TEST_F(ProgramTest, FailOnSkipIsCodeOne) {
  folder_.write("c.json", R"({"black_list": ["where"]})");
  EXPECT_EQ(msprobe(kCheckDemo + "-config c.json -o a --fail-on error").code, 0);
  EXPECT_EQ(msprobe(kCheckDemo + "-config c.json -o b --fail-on skip").code, 1);
}

TEST_F(ProgramTest, FailOnFindsARunThatComparedNothing) {
  folder_.write("c.json", R"({"white_list": ["nothing_of_this_name"]})");
  EXPECT_EQ(msprobe(kCheckDemo + "-config c.json -o a").code, 0);
  EXPECT_EQ(msprobe(kCheckDemo + "-config c.json -o b --fail-on error").code, 1);
}

TEST_F(ProgramTest, ListShowsEveryApiAndRunsNone) {
  folder_.write("c.json", R"({"black_list": ["where"]})");
  const Outcome outcome = msprobe(kCheckDemo + "-config c.json -o out --list");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const auto& verdict : kDemoVerdicts) EXPECT_THAT(outcome.out, HasSubstr(verdict[0] + " "));
  EXPECT_THAT(outcome.out, HasSubstr("SKIP: "));
  EXPECT_THAT(outcome.out, EndsWith("15 APIs: 14 would be run, 1 skipped\n"));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(ProgramTest, ListNamesTheArgumentThatCannotBeRebuilt) {
  const auto tensor = [](const char* dtype) {
    return R"({"type": "torch.Tensor", "dtype": ")" + std::string(dtype) +
           R"(", "shape": [2], "Max": 1.0, "Min": 0.0, "requires_grad": false})";
  };
  const std::string good = tensor("torch.float32"), bad = tensor("torch.float33");
  folder_.write("bad.json", R"({"task": "statistics", "level": "L1", "data": {"Torch.cat.0.forward": )"
                            R"({"input_args": [[)" +
                                good + ", " + bad +
                                R"(]], "input_kwargs": {}},)"
                                R"("Torch.add.0.forward": {"input_args": [)" +
                                good + R"(], "input_kwargs": {"other": )" + bad +
                                R"(}},)"
                                R"("Torch.mul.0.forward": {"input_args": [)" +
                                good + R"(], "input_kwargs": {"other": {"type": "strange", "x": 1}}}}})");
  const Outcome outcome = msprobe("acc_check -api_info bad.json -o out --list");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Torch.cat.0: input 0.1: dtype \"torch.float33\" cannot be rebuilt"));
  EXPECT_THAT(outcome.out, HasSubstr("Torch.add.0: other: dtype \"torch.float33\" cannot be rebuilt"));
  EXPECT_THAT(outcome.out, HasSubstr("Torch.mul.0: other: recorded in an unknown form"));
}

TEST_F(ProgramTest, MergedPartsAreTheBytesOfOneRun) {
  ASSERT_EQ(msprobe(kCheckDemo + "-o one").code, 0);
  for (const char* rank : {"0", "1"}) {
    const Outcome outcome =
        msprobe(kCheckDemo + "-o out", std::string("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=") + rank);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("part ") + rank + " of 2, by OMPI_COMM_WORLD_RANK"));
  }
  const Outcome outcome = msprobe("merge out -o joined");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("15 APIs\n"));
  for (const char* kind : {"accuracy_checking_result_", "accuracy_checking_details_"}) {
    EXPECT_EQ(content(only_file("joined", kind)), content(only_file("one", kind))) << kind;
  }
}

TEST_F(ProgramTest, APartThatALauncherGaveIsToldUnderQuietToo) {
  const std::string slurm = "SLURM_PROCID=0 SLURM_NTASKS=3";
  const Outcome step = msprobe(kCheckDemo + "-o part -q", slurm + " SLURM_STEP_NUM_TASKS=3");
  EXPECT_EQ(step.code, 0) << step.err;
  EXPECT_THAT(step.err, HasSubstr("part 0 of 3, by SLURM_PROCID; the rest is left to other processes: 5 APIs"));
  const Outcome script = msprobe(kCheckDemo + "-o all -q", slurm);
  EXPECT_EQ(script.code, 0) << script.err;
  EXPECT_THAT(script.err, HasSubstr("SLURM_STEP_NUM_TASKS is not set: this process checks the whole dump"));
  const std::string rows = content(only_file("all", "accuracy_checking_result_"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 16);
}

TEST_F(ProgramTest, ComparesTwoDetailsFiles) {
  const std::string header =
      "API Name,Bench Dtype,DEVICE Dtype,Shape,余弦相似度,最大绝对误差,双百指标,双千指标,双万指标,二进制一致错误率,"
      "误差均衡性,均方根误差,小值域错误占比,相对误差最大值,相对误差平均值,inf/nan错误率,相对误差错误率,绝对误差错误率,"
      "ULP误差最大值,ULP误差平均值,ULP误差大于阈值占比,Status,Message\n";
  const auto row = [](const std::string& rmse) {
    return "Torch.tanh.0.forward.output.0,torch.float64,torch.float32,\"(2, 3)\",1,0,1,1,1, ,0," + rmse +
           ",0,0.001,0.001,0,0,0,1,1,0,pass,\n";
  };
  folder_.write("npu.csv", header + row("0.5"));
  folder_.write("gpu.csv", header + row("0.1"));
  const Outcome outcome = msprobe("api_precision_compare -npu npu.csv -gpu gpu.csv -o compared");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const report::Table result =
      report::read_table(only_file("compared", "api_precision_compare_result_").string(), {"Message"});
  ASSERT_EQ(result.rows.size(), 1u);
  EXPECT_EQ(result.rows[0][0], "Torch.tanh.0");
  EXPECT_EQ(result.rows[0][1], "error");  // 0.5 / 0.1 is 5, the limit of 均方根误差比值 is 2 at level L0
  EXPECT_EQ(msprobe("api_precision_compare -npu npu.csv -gpu gpu.csv -o again --fail-on error").code, 1);
  EXPECT_EQ(msprobe("api_precision_compare -npu npu.csv -gpu gpu.csv -o again --fail-on suspect").code, 1);
  EXPECT_EQ(msprobe("api_precision_compare -npu gpu.csv -gpu npu.csv -o again --fail-on suspect").code, 0);
  const Outcome one_file = msprobe("api_precision_compare -npu npu.csv -gpu ./npu.csv -o never");
  EXPECT_EQ(one_file.code, 2);
  EXPECT_THAT(one_file.err, HasSubstr("is the NPU's file too, npu.csv; name the NPU's with -npu FILE"));
  EXPECT_FALSE(fs::exists(folder_ / "never"));
  folder_.write("mindstudio.yaml", "precision_profile: mindstudio\n");
  const Outcome mindstudio =
      msprobe("api_precision_compare -config mindstudio.yaml -npu npu.csv -gpu gpu.csv -o never --fail-on suspect");
  EXPECT_EQ(mindstudio.code, 2);
  EXPECT_THAT(mindstudio.err, HasSubstr("--fail-on suspect: precision_profile mindstudio suspects nothing"));
}

TEST_F(ProgramTest, CompareWithoutAColumnIsCodeTwo) {
  for (const char* name : {"npu.csv", "gpu.csv"}) {
    folder_.write(name, "API Name,Bench Dtype\nTorch.mul.0.forward.output.0,torch.float64\n");
  }
  const Outcome outcome = msprobe("api_precision_compare -npu npu.csv -gpu gpu.csv -o compared");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, StartsWith("msprobe: error: npu.csv"));
  EXPECT_THAT(outcome.err, HasSubstr("DEVICE Dtype"));
  EXPECT_TRUE(!fs::exists(folder_ / "compared") || fs::is_empty(folder_ / "compared"));
}

TEST_F(ProgramTest, ApisShowsWaysAndTheirTotals) {
  const Outcome outcome = msprobe("apis --only 'npu_swiglu$|^Functional.cross_entropy|^Torch.softmax$'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "Functional.cross_entropy  by adaptor\n"
            "Torch.softmax             by schema (aten::softmax, aten::special_softmax)\n"
            "NPU.npu_swiglu            fused golden (built in)\n"
            "\n"
            "Prefix      names  by schema  by adaptor  fused golden  SKIP by policy  not possible\n"
            "Functional      1          0           1             0               0             0\n"
            "NPU             1          0           0             1               0             0\n"
            "Torch           1          1           0             0               0             0\n"
            "all             3          1           1             1               0             0\n");
}

TEST_F(ProgramTest, ApisSaysWhenNothingMatches) {
  const Outcome outcome = msprobe("apis --only no_such_api");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("msprobe: error: --only: nothing matches \"no_such_api\" among the "));
}

}  // namespace
}  // namespace msprobe::cli
