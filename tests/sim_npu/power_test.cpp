// Faults that Status lets pass: outputs below 5e-4, where no difference reaches 0.001. The whole program says which are
// suspects, and does with them what it does with failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/csv_reader.h"
#include "support/program.h"

namespace {

namespace fs = std::filesystem;
using msprobe::support::content;
using msprobe::support::Outcome;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kLargest = "0.0004";
const std::vector<std::string> kDtypes = {"float16", "bfloat16", "float32", "float64"};

std::string tensor(const std::string& dtype, bool gradient) {
  return R"({"type":"torch.Tensor","dtype":"torch.)" + dtype + R"(","shape":[512,8],"Max":)" + kLargest +
         R"(,"Min":-)" + kLargest + R"(,"Mean":0,"Norm":1,"requires_grad":)" + (gradient ? "true}" : "false}");
}

/// Calls of one kernel in every dtype, whose gradients leave one kernel too; outputs and gradients are below 5e-4.
std::string calls() {
  std::string records;
  for (const char* name : {"sin", "neg"}) {
    for (size_t i = 0; i < kDtypes.size(); ++i) {
      const std::string api = "Torch." + std::string(name) + "." + std::to_string(i), out = tensor(kDtypes[i], true),
                        given = tensor(kDtypes[i], false);
      records += std::string(records.empty() ? "" : ",") + "\"" + api + R"(.forward":{"input_args":[)" + out +
                 R"(],"input_kwargs":{},"output":[)" + out + R"(]},")" + api + R"(.backward":{"input":[)" + given +
                 R"(],"output":[)" + given + "]}";
    }
  }
  return R"({"task":"statistics","level":"L1","framework":"pytorch","dump_data_dir":null,"data":{)" + records + "}}";
}

struct Verdict {
  std::string status, message;
};

class PowerTest : public msprobe::support::ProgramFixture {
 protected:
  PowerTest() { folder_.write("calls.json", calls()); }

  /// `fault`: what stands in the braces of one; empty: none.
  Outcome run(const std::string& arguments, const std::string& fault = "", const std::string& command = "acc_check") {
    const std::string file = folder_.write("faults.yaml", "faults:\n  - {" + fault + "}\n");
    return msprobe(
        command + " -api_info calls.json --device_type npu --torch_npu '" MSPROBE_SIM_NPU "' --threads 1 " + arguments,
        fault.empty() ? "" : "MSPROBE_SIM_NPU_FAULTS='" + file + "'");
  }

  std::map<std::string, Verdict> details(const std::string& out) const {
    std::map<std::string, Verdict> rows;
    for (const auto& row :
         msprobe::report::read_table(only_file(out, "accuracy_checking_details_").string(), {"Status", "Message"})
             .rows) {
      const int last = static_cast<int>(row.size()) - 1;
      rows[std::string(row[0])] = {std::string(row[last - 1]), std::string(row[last])};
    }
    return rows;
  }
  /// APIs in the result file.
  std::set<std::string> apis(const std::string& out) const {
    std::set<std::string> names;
    for (const auto& row :
         msprobe::report::read_table(only_file(out, "accuracy_checking_result_").string(), {"Message"}).rows)
      names.insert(std::string(row[0]));
    return names;
  }
  std::string bytes(const std::string& out) const {
    return content(only_file(out, "accuracy_checking_result_")) + content(only_file(out, "accuracy_checking_details_"));
  }
};

std::set<std::string> all_of(const std::string& api) {
  std::set<std::string> names;
  for (size_t i = 0; i < kDtypes.size(); ++i) names.insert("Torch." + api + "." + std::to_string(i));
  return names;
}

TEST_F(PowerTest, NoSuspectWithoutAFault) {
  const Outcome outcome = run("-o out --fail-on suspect");
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(bytes("out"), Not(HasSubstr("suspect")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("suspect")));
}

// ---- every kind, forward and backward

struct PowerCase {
  const char* name;
  const char* fault;
};

void PrintTo(const PowerCase& c, std::ostream* out) {
  *out << c.fault;
}

class PassedFaultTest : public PowerTest, public testing::WithParamInterface<PowerCase> {};

TEST_P(PassedFaultTest, PassesByStatusAndIsSuspect) {
  for (const auto& [direction, where] :
       {std::pair{"forward", "operator: sin"}, std::pair{"backward", "operator: mul, phase: backward"},
        std::pair{"", "operator: copy_to_host"}}) {
    SCOPED_TRACE(where);
    const std::string out = std::string("out") + direction;
    const Outcome outcome = run("-o " + out, std::string(where) + ", " + GetParam().fault);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    size_t suspects = 0;
    for (const auto& [name, row] : details(out)) {
      const bool struck = *direction == '\0' || (name.starts_with("Torch.sin.") &&
                                                 name.find("." + std::string(direction)) != std::string::npos);
      EXPECT_EQ(row.status, "pass") << name << ": " << row.message;
      if (struck)
        EXPECT_THAT(row.message, HasSubstr("; suspect: ")) << name;
      else
        EXPECT_THAT(row.message, Not(HasSubstr("suspect"))) << name;
      suspects += struck;
    }
    EXPECT_EQ(suspects, (*direction == '\0' ? 4 : 1) * kDtypes.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PassedFaultTest,
                         testing::Values(PowerCase{"Factor2", "kind: relative_error, size: 1"},
                                         PowerCase{"TenPercent", "kind: relative_error, size: 0.1"},
                                         PowerCase{"OnePercent", "kind: relative_error, size: 0.01"},
                                         PowerCase{"EightUlp", "kind: ulp_error, size: 8"},
                                         PowerCase{"Tail", "kind: zero, region: tail"},
                                         PowerCase{"RowsSwapped", "kind: swap_rows"},
                                         PowerCase{"Columns", "kind: relative_error, size: 0.1, region: columns"},
                                         PowerCase{"Block", "kind: relative_error, size: 0.1, region: block"},
                                         PowerCase{"Corner", "kind: relative_error, size: 0.1, region: corner"}),
                         [](const auto& info) { return info.param.name; });

// ---- what becomes of a suspect that passed

constexpr const char* kFault = "operator: sin, kind: relative_error, size: 1";

TEST_F(PowerTest, TheResultRowNamesOutputAndClause) {
  ASSERT_EQ(run("-o out", kFault).code, 0);
  for (const auto& row :
       msprobe::report::read_table(only_file("out", "accuracy_checking_result_").string(), {"Message"}).rows) {
    const std::string api(row[0]), message(row[3]);
    EXPECT_EQ(row[1], "pass") << api;
    EXPECT_EQ(row[2], "pass") << api;
    if (all_of("sin").count(api) == 0) {
      EXPECT_EQ(message, " ") << api;
      continue;
    }
    // sin(x) * 2 - sin(x), where x is as large as its statistics say.
    EXPECT_THAT(message, StartsWith("forward.output.0: 最大绝对误差 0.0004")) << api;
    EXPECT_THAT(message, HasSubstr("< 0.001; suspect: ")) << api;
    EXPECT_THAT(message, HasSubstr(" times that of the CPU in float32 arithmetic")) << api;
  }
}

TEST_F(PowerTest, SummaryAndExitCodeCountIt) {
  const Outcome outcome = run("-o out --fail-on suspect", kFault);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("passed but suspect 4"));
  EXPECT_EQ(run("-o other --fail-on error", kFault).code, 0);
}

TEST_F(PowerTest, RerunFailedTakesIt) {
  ASSERT_EQ(run("-o out", kFault).code, 0);
  const std::string result = only_file("out", "accuracy_checking_result_").string();
  ASSERT_EQ(run("-o again --fail-on suspect --rerun-failed '" + result + "'").code, 0);
  EXPECT_EQ(apis("again"), all_of("sin"));
}

TEST_F(PowerTest, ItsTensorsAreSaved) {
  folder_.write("save.json", R"({"error_data_path": "saved"})");
  fs::create_directories(folder_ / "saved");
  ASSERT_EQ(run("-o out -save_error_data -config save.json", kFault).code, 0);
  std::set<std::string> saved;
  for (const auto& file : fs::directory_iterator(only_file("saved", "ut_error_data"))) {
    const std::string name = file.path().filename().string();
    saved.insert(name.substr(0, name.find(".forward")).substr(0, name.find(".backward")));
  }
  EXPECT_EQ(saved, all_of("sin"));
}

TEST_F(PowerTest, FourWorkersAndAnInterruptedRunSayTheSame) {
  ASSERT_EQ(run("-o one", kFault).code, 0);
  const std::string whole = bytes("one");
  EXPECT_THAT(whole, HasSubstr("suspect: "));
  const Outcome four = run("-n 4 -d 0 1 -o four --fail-on suspect", kFault, "multi_acc_check");
  EXPECT_EQ(four.code, 1) << four.err;
  EXPECT_THAT(four.out, HasSubstr("passed but suspect 4"));
  EXPECT_EQ(bytes("four"), whole);

  const fs::path result = only_file("one", "accuracy_checking_result_");
  const std::string rows = content(result);
  fs::resize_file(result, rows.find('\n', rows.find("\nTorch.neg.0") + 1) + 1);  // behind all suspects
  const Outcome resumed = run("--fail-on suspect -csv_path '" + result.string() + "'", kFault);
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_EQ(bytes("one"), whole);
}

}  // namespace
