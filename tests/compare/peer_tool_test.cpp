// Our details files in the hands of MindStudio msprobe's own api_precision_compare: it takes them, and says what we
// say.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "compare/support.h"
#include "support/only_file.h"
#include "support/shell.h"

namespace msprobe::compare::testing {
namespace {

using outcome::ApiOutcome;
using outcome::Figure;

const char* const kApis[] = {"Torch.mul",          "Torch.matmul",    "Functional.relu",       "Functional.conv2d",
                             "Functional.softmax", "Torch.embedding", "Functional.layer_norm", "Functional.GELU",
                             "Torch.linalg.norm"};
const char* const kDtypes[] = {"torch.float16", "torch.bfloat16", "torch.float32", "torch.int64", "torch.bool"};

/// Outputs as acc_check writes them. `mindstudio`: with the blanks of that profile.
std::vector<ApiOutcome> outcomes(bool mindstudio, uint32_t seed) {
  std::mt19937 random(seed);
  const double values[] = {0, 1e-6, 0.001, 0.002, 0.01, 0.012, 0.0199, 0.02, 0.1, 1, 10};
  const auto draw = [&] { return values[random() % std::size(values)]; };
  std::vector<ApiOutcome> apis;
  for (int i = 0; i < 120; ++i) {
    ApiOutcome api;
    // The same on both sides, whatever was drawn before.
    api.api = std::string(kApis[i % 9]) + "." + std::to_string(i);
    const int outputs = 1 + i % 3;
    for (const char* direction : {"forward", "backward"})
      for (int output = 0; output < outputs; ++output) {
        outcome::Row row;
        row.name = api.api + "." + direction + ".output." + std::to_string(output);
        row.device_dtype = kDtypes[(i + output) % 5];
        row.bench_dtype = row.device_dtype;
        row.shape = "(2, 3)";
        row.status = outcome::Status::kPass;
        row[Figure::kCosine] = 1;
        row[Figure::kMaxAbs] = draw();
        if (row.device_dtype == "torch.int64" || row.device_dtype == "torch.bool") {
          row[Figure::kBinaryErrorRate] = random() % 2 ? 0 : 0.25;
        } else {
          for (const Figure f : {Figure::kBalance, Figure::kRmse, Figure::kSmallValueErrorRate, Figure::kMaxRelative,
                                 Figure::kMeanRelative})
            row[f] = draw();
          if (!mindstudio)
            for (const Figure f : {Figure::kHundredth, Figure::kThousandth, Figure::kTenThousandth,
                                   Figure::kInfNanErrorRate, Figure::kRelativeErrorRate, Figure::kAbsoluteErrorRate,
                                   Figure::kMaxUlp, Figure::kMeanUlp, Figure::kUlpShare})
              row[f] = random() % 2 ? 0 : draw();
        }
        if ((i + output) % 17 == 0) {
          row = {};
          row.name = api.api + "." + direction + ".output." + std::to_string(output);
          row.message = "Bench output is None, skip this test.";
        }
        api.rows.push_back(std::move(row));
      }
    apis.push_back(std::move(api));
  }
  return apis;
}

std::string details_file(const std::vector<ApiOutcome>& apis) {
  std::string text = "\xEF\xBB\xBF" + report::csv_row(report::details_header());
  for (const ApiOutcome& api : apis) text += report::details_lines(api, 14);
  return text;
}

TEST(PeerToolTest, TakesOurFilesAndAgrees) {
  const char* python = std::getenv("MSPROBE_PEER_PYTHON");
  if (!python || !*python)
    GTEST_SKIP() << "NOT RUN: set MSPROBE_PEER_PYTHON to a Python that has mindstudio-probe, to let MindStudio msprobe "
                    "itself read our files";
  if (!fs::exists(python)) {
    const char* why = std::getenv("MSPROBE_PEER_WHY_NOT");
    GTEST_SKIP() << "NOT RUN: MindStudio msprobe itself could not read our files, there is no " << python << ": "
                 << (why && fs::exists(why) ? content(why) : "MSPROBE_PEER_PYTHON names no program");
  }
  for (const bool mindstudio : {true, false}) {
    const TempFolder folder;
    const std::string npu = folder / "npu/accuracy_checking_details_20260102030405.csv";
    const std::string gpu = folder / "gpu/accuracy_checking_details_20260102030405.csv";
    write(npu, details_file(outcomes(mindstudio, 1)));
    write(gpu, details_file(outcomes(mindstudio, 2)));
    fs::create_directories(folder / "theirs");
    const std::string command = "cd '" + folder.path().string() + "' && '" + python +
                                "' -c 'from msprobe.msprobe import main; main()' api_precision_compare -npu '" + npu +
                                "' -gpu '" + gpu + "' -o theirs >log 2>&1 </dev/null";
    ASSERT_EQ(support::shell(command), 0) << content(folder / "log");
    // Before it starts it may miss the software of an NPU.
    std::string log = content(folder / "log");
    const size_t start = log.find("Start compare task");
    ASSERT_NE(start, std::string::npos) << log;
    log.erase(0, start);
    EXPECT_EQ(log.find("[ERROR]"), std::string::npos) << log;
    EXPECT_EQ(log.find("[WARNING]"), std::string::npos) << log;

    const CompareReport ours = run(options(npu, gpu, folder / "ours", config::Profile::kMindstudio));
    const auto details = rows_of(support::only_file(folder / "theirs", "api_precision_compare_details_"));
    EXPECT_EQ(rows_of(ours.details_path), details);
    EXPECT_EQ(rows_of(ours.result_path),
              rows_of(support::only_file(folder / "theirs", "api_precision_compare_result_")));
    size_t passed = 0, failed = 0;
    for (const Cells& row : details) passed += row[25] == "pass", failed += row[25] == "error";
    EXPECT_GT(passed, 30u);
    EXPECT_GT(failed, 30u);
  }
}

}  // namespace
}  // namespace msprobe::compare::testing
