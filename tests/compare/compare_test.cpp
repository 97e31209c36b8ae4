// What run() reads and writes, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/details.h"
#include "compare/support.h"
#include "support/error_of.h"

namespace msprobe::compare::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kNpu = kData + "/resaved/npu/accuracy_checking_details_20260102030405.csv";
const std::string kGpu = kData + "/resaved/gpu/accuracy_checking_details_20260102030405.csv";

std::string error_of(const Options& o) {
  return support::error_of([&] { run(o); });
}

TEST(RunTest, WritesTwoFilesOfOneTimestampWithMarkAndCrlf) {
  const TempFolder folder;
  const CompareReport report = run(options(kNpu, kGpu, folder / "a/b/out"));
  EXPECT_EQ(support::entries(folder / "a/b/out"), 2u);
  const std::string details = fs::path(report.details_path).filename(),
                    result = fs::path(report.result_path).filename();
  EXPECT_THAT(details, ::testing::MatchesRegex("api_precision_compare_details_[0-9]{14}.csv"));
  EXPECT_EQ(result,
            "api_precision_compare_result_" + details.substr(std::string("api_precision_compare_details_").size()));
  EXPECT_THAT(content(report.result_path),
              StartsWith("\xEF\xBB\xBF"
                         "API name,Forward Test Success,Backward Test Success,Message\r\n"));
  EXPECT_EQ(content(report.result_path),
            "\xEF\xBB\xBF"
            "API name,Forward Test Success,Backward Test Success,Message\r\n"
            "Torch.exp.0,pass,SKIP, \r\n"
            "Torch.argmax.0,pass, , \r\n"
            "Torch.exp.1,error, ,\"forward.output.0: 均方根误差比值 10 > 2 (L0); suspect: 均方根误差 0.01, the GPU's "
            "0.001\"\r\n");
  EXPECT_THAT(
      content(report.details_path),
      StartsWith("\xEF\xBB\xBF"
                 "API Name,小值域错误比值,小值域错误判定结果,均方根误差比值,均方根误差判定结果,相对误差最大值比值,"
                 "相对误差最大值判定结果,相对误差平均值比值,相对误差平均值判定结果,误差均衡性比值,误差均衡性判定结果,"
                 "inf/nan错误率,inf/nan判定结果,相对误差错误率,相对误差判定结果,绝对误差错误率,绝对误差判定结果,"
                 "二进制一致错误率,二进制一致错误率判定结果,ULP误差平均值,ULP误差大于阈值占比,ULP误差大于阈值占比比值,"
                 "ULP误差判定结果,双千指标,双千指标判定结果,比对结果,比对算法,Message\r\n"
                 "Torch.exp.0.forward.output.0,0.00000000000000,pass,0.20480000000000,pass,"));
  struct stat info {};
  ASSERT_EQ(stat(report.details_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777 & 0027, 0u) << "no more than 0640";
}

TEST(RunTest, PrecisionIsThatOfTheSettings) {
  const TempFolder folder;
  Options o = options(kNpu, kGpu, folder / "out");
  o.precision = 3;
  EXPECT_EQ(rows_of(run(o).details_path).at(0)[3], "0.205");
}

TEST(RunTest, NeverOverwritesAnotherRun) {
  const TempFolder folder;
  std::set<std::string> paths;
  for (int i = 0; i < 4; ++i) paths.insert(run(options(kNpu, kGpu, folder / "out")).details_path);
  EXPECT_EQ(paths.size(), 4u);
  EXPECT_EQ(support::entries(folder / "out"), 8u);
}

TEST(RunTest, OutcomeDoesNotDependOnTheNumberOfThreads) {
  const TempFolder folder;
  const std::string base = kData + "/gpt2_amp_bf16_tensor";
  // Enough rows for several chunks.
  const report::Table npu = report::read_table(base + "/npu.csv", {}), gpu = report::read_table(base + "/gpu.csv", {});
  for (const auto& [table, name] : {std::pair(&npu, "npu.csv"), std::pair(&gpu, "gpu.csv")}) {
    std::string text = report::csv_row(table->columns);
    for (int copy = 0; copy < 40; ++copy)
      for (const report::TableRow row : table->rows) {
        Cells cells;
        for (size_t i = 0; i < row.size(); ++i) cells.emplace_back(row[static_cast<int>(i)]);
        cells[0] = "Copy" + std::to_string(copy) + cells[0];
        text += report::csv_row(cells);
      }
    write(folder / name, text);
  }
  Options o = options(folder / "npu.csv", folder / "gpu.csv", folder / "out");
  std::set<std::string> details, results;
  for (const int threads : {1, 2, 7}) {
    o.threads = threads;
    const CompareReport report = run(o);
    details.insert(content(report.details_path));
    results.insert(content(report.result_path));
    EXPECT_EQ(rows_of(report.details_path).size(), npu.rows.size() * 40);
  }
  EXPECT_EQ(details.size(), 1u);
  EXPECT_EQ(results.size(), 1u);
}

TEST(RunTest, CellsThatASpreadsheetWouldRunAreMadeHarmless) {
  const TempFolder folder;
  std::string text = details_text({{"name", " ", {{"Message", "message"}}}});
  text.replace(text.find("name,"), 4, "=cmd.add.0.forward.output.0");
  text.replace(text.find("message"), 7, "@SUM(A1)");
  write(folder / "npu.csv", text);
  fs::copy_file(folder / "npu.csv", folder / "gpu.csv");
  const CompareReport report = run(options(folder / "npu.csv", folder / "gpu.csv", folder / "out"));
  const Cells row = rows_of(report.details_path).at(0);
  EXPECT_EQ(row.front(), "'=cmd.add.0.forward.output.0");
  EXPECT_EQ(row.back(), "'@SUM(A1)");
  EXPECT_EQ(rows_of(report.result_path).at(0), (Cells{"'=cmd.add.0", "SKIP", "", "'@SUM(A1)"}));
}

TEST(ErrorTest, NamesTheFileAndWritesNothing) {
  const TempFolder folder;
  const std::string header = report::csv_row(report::details_header());
  write(folder / "empty.csv", "");
  write(folder / "other.csv",
        "API name,Forward Test Success,Backward Test Success,Message\r\nTorch.mul.0,pass, , \r\n");
  write(folder / "nameless.csv", details_text({{" ", "torch.float32", {}}}));
  write(folder / "short.csv", header + "Torch.mul.0.forward.output.0,torch.float64,torch.float32,\"(2, 3)\",0.5\r\n");
  write(folder / "quote.csv", header + "Torch.mul.0.forward.output.0,\"torch");
  const std::string folder_name = folder.path().string();
  struct Case {
    std::string npu, gpu, message;
  };
  const Case cases[] = {
      {"missing.csv", "", "/missing.csv: cannot be opened: No such file or directory; check the path"},
      {".", "", "/.: is a folder, expected a CSV file"},
      {"empty.csv", "", "/empty.csv: is empty, expected a line with the names of the columns"},
      {"", "empty.csv", "/empty.csv: is empty, expected a line with the names of the columns"},
      {"other.csv", "",
       "/other.csv:1: these columns are missing: DEVICE Dtype, 双千指标, 二进制一致错误率, 误差均衡性, 均方根误差, "
       "小值域错误占比, 相对误差最大值, 相对误差平均值, inf/nan错误率, 相对误差错误率, 绝对误差错误率, ULP误差平均值, "
       "ULP误差大于阈值占比; check that this is the right file, and that its first line holds the names of the "
       "columns"},
      {"short.csv", "",
       "/short.csv:2: the row has 5 cells, expected 23, so that 最大绝对误差 is missing; the file is cut off there, or "
       "was changed: copy it again, or take the row out"},
      {"", "short.csv",
       "/short.csv:2: the row has 5 cells, expected 23, so that 最大绝对误差 is missing; the file is cut off there, or "
       "was changed: copy it again, or take the row out"},
      {"nameless.csv", "", "/nameless.csv:2: API Name is blank; give the name of the output, or leave the row out"},
      {"", "nameless.csv", "/nameless.csv:2: API Name is blank; give the name of the output, or leave the row out"},
      {"quote.csv", "",
       "/quote.csv:2: a quote is opened and never closed; the file is cut off or damaged there: repair that line or "
       "leave it out"},
  };
  for (const Case& c : cases) {
    const auto path = [&](const std::string& name, const std::string& other) {
      return name.empty() ? fs::path(other) : fs::path(folder_name + "/" + name);
    };
    EXPECT_EQ(error_of(options(path(c.npu, kNpu), path(c.gpu, kGpu), folder / "out")), folder_name + c.message);
    EXPECT_EQ(support::entries(folder / "out"), 0u) << c.message;
  }
}

TEST(ErrorTest, AFileCutOffAnywhereInItsLastRowIsRefusedOrTold) {
  const TempFolder folder;
  const std::string row =
      ".forward.output.0,torch.float64,torch.float32,\"(2, 3)\",1.00000,0.00012,1.00000,1.00000,1.00000, "
      ",0.25000,0.00002,"
      "0.00000,0.00100,0.00050,0.00000,0.00000,0.00000,3.00000,1.25000,0.12500,pass,well done\r\n";
  const std::string start = report::csv_row(report::details_header()) + "Torch.tanh.0" + row;
  const std::string whole = start + "Torch.tanh.1" + row;
  write(folder / "whole.csv", whole);
  write(folder / "copy.csv", whole);
  ASSERT_EQ(error_of(options(folder / "copy.csv", folder / "whole.csv", folder / "out")), "no error");
  const size_t last = start.size(), line = 3;
  size_t refused = 0, told = 0;
  for (size_t n = last + 1; n < whole.size(); ++n) {
    write(folder / "cut.csv", whole.substr(0, n));
    ::testing::internal::CaptureStdout();
    const std::string error = error_of(options(folder / "cut.csv", folder / "whole.csv", folder / "out"));
    const std::string said = ::testing::internal::GetCapturedStdout();
    const std::string place = (folder / "cut.csv").string() + ":" + std::to_string(line);
    if (error == "no error") {
      if (whole[n - 1] == '\r') continue;  // a line break already
      EXPECT_GT(n, whole.find("0.12500", last) + 7) << "the last figure may lack digits";
      EXPECT_THAT(said, HasSubstr(place + ": the file ends without a line break: it may have been cut off there"));
      ++told;
    } else {
      EXPECT_THAT(error, StartsWith(place));
      EXPECT_THAT(error, HasSubstr("cut off"));
      ++refused;
    }
  }
  EXPECT_EQ(refused, whole.find("0.12500", last) + 7 - last);  // all that ends before the comma behind the last figure
  EXPECT_EQ(told, std::string("pass,well done").size() + 1);
}

TEST(ErrorTest, OneFileIsNotComparedWithItself) {
  const TempFolder folder;
  fs::copy_file(kNpu, folder / "npu.csv");
  fs::create_symlink("npu.csv", folder / "soft.csv");
  fs::create_hard_link(folder / "npu.csv", folder / "hard.csv");
  const std::string npu = folder / "npu.csv", remedy = "; name the NPU's with -npu FILE and the GPU's with -gpu FILE";
  EXPECT_EQ(error_of(options(npu, npu, folder / "out")), npu + ": is both the NPU's and the GPU's file" + remedy);
  for (const char* link : {"soft.csv", "hard.csv"})
    EXPECT_EQ(error_of(options(npu, folder / link, folder / "out")),
              (folder / link).string() + ": is the NPU's file too, " + npu + remedy);
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_EQ(error_of(options(npu, npu, folder / "out", config::Profile::kMindstudio)), "no error") << "as MindStudio";
}

TEST(ErrorTest, NamesTenDuplicatesAndCountsTheOthers) {
  const TempFolder folder;
  std::vector<InputRow> rows;
  for (int copy = 0; copy < 2; ++copy)
    for (int i = 0; i < 12; ++i)
      rows.push_back({"Torch.mul." + std::to_string(i) + ".forward.output.0", "torch.float32", {}});
  write(folder / "npu.csv", details_text(rows));
  const std::string message = error_of(options(folder / "npu.csv", kGpu, folder / "out"));
  EXPECT_THAT(message, HasSubstr("Torch.mul.0.forward.output.0 (lines 2 and 14), Torch.mul.1.forward.output.0"));
  EXPECT_THAT(message, HasSubstr("Torch.mul.9.forward.output.0 (lines 11 and 23), and 2 more rows; keep"));
}

TEST(ErrorTest, ResultsThatCannotBeWrittenLeaveNothing) {
  const TempFolder folder;
  write(folder / "file", "");
  EXPECT_THROW(run(options(kNpu, kGpu, folder / "file")), OutputError);
  EXPECT_THAT(error_of(options(kNpu, kGpu, folder / "file/below")), HasSubstr("-o: folder"));
}

TEST(ErrorTest, FoldersWithoutPermissionAreRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "NOT RUN: root may write anywhere";
  const TempFolder folder;
  fs::create_directories(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(run(options(kNpu, kGpu, folder / "closed")), OutputError);
  fs::permissions(folder / "closed", fs::perms::owner_all);
}

class DefaultInputTest : public ::testing::Test {
 protected:
  void put(const std::string& name) { fs::copy_file(kNpu, folder_ / name); }
  std::string found() {
    try {
      return fs::path(only_details_file(folder_.path().string(), "-npu")).filename().string();
    } catch (const Error& error) {
      std::string text = error.what();
      for (size_t at; (at = text.find(folder_.path().string())) != std::string::npos;)
        text.replace(at, folder_.path().string().size(), "DIR");
      return text;
    }
  }
  TempFolder folder_;
};

TEST_F(DefaultInputTest, IsTheOneDetailsFileOfTheFolder) {
  put("accuracy_checking_details_20260102030405.csv");
  put("accuracy_checking_result_20260102030405.csv");
  put("notes.csv");
  EXPECT_EQ(found(), "accuracy_checking_details_20260102030405.csv");
}

TEST_F(DefaultInputTest, NoneIsAnError) {
  EXPECT_EQ(found(), "-npu: left out, and DIR holds no accuracy_checking_details_*.csv; name the file with -npu FILE");
}

TEST_F(DefaultInputTest, SeveralAreAnErrorThatNamesThem) {
  put("accuracy_checking_details_20260102030405.csv");
  put("accuracy_checking_details_20260102030406.csv");
  EXPECT_EQ(found(),
            "-npu: left out, and DIR holds 2 details files: accuracy_checking_details_20260102030405.csv, "
            "accuracy_checking_details_20260102030406.csv; name the one that is meant with -npu FILE");
}

TEST_F(DefaultInputTest, IsLookedForInTheCurrentFolder) {
  put("accuracy_checking_details_20260102030405.csv");
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  Options o = options("", kGpu, folder_ / "out");
  const CompareReport report = run(o);
  fs::current_path(before);
  EXPECT_EQ(report.npu_csv, "accuracy_checking_details_20260102030405.csv");
  EXPECT_EQ(report.rows[static_cast<size_t>(outcome::Status::kError)], 1);
}

TEST_F(DefaultInputTest, IsNotBothSides) {
  put("accuracy_checking_details_20260102030405.csv");
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  const std::string error = error_of(options("", "", folder_ / "out"));
  fs::current_path(before);
  EXPECT_EQ(error,
            "accuracy_checking_details_20260102030405.csv: is both the NPU's and the GPU's file; name the NPU's with "
            "-npu FILE and the GPU's with -gpu FILE");
}

TEST(FailsOnTest, StatusOrWorse) {
  using outcome::Status;
  struct Case {
    int64_t pass, error, skip;
    bool on_error, on_warning, on_skip;
  };
  for (const Case& c :
       {Case{1, 0, 0, false, false, false}, Case{1, 1, 0, true, true, true}, Case{1, 0, 1, false, false, true},
        Case{0, 0, 1, true, true, true}, Case{0, 0, 0, true, true, true}}) {
    CompareReport report;
    report.rows[static_cast<size_t>(Status::kPass)] = c.pass;
    report.rows[static_cast<size_t>(Status::kError)] = c.error;
    report.rows[static_cast<size_t>(Status::kSkip)] = c.skip;
    EXPECT_EQ(fails_on(report, "error"), c.on_error);
    EXPECT_EQ(fails_on(report, "warning"), c.on_warning);
    EXPECT_EQ(fails_on(report, "skip"), c.on_skip);
  }
}

TEST(FailsOnTest, SuspectsWhateverTheirStatus) {
  using outcome::Assessment;
  using outcome::Status;
  CompareReport report;
  report.rows[static_cast<size_t>(Status::kError)] = 2;
  report.rows[static_cast<size_t>(Status::kPass)] = 1;
  report.assessments.add(Status::kError, Assessment::kAsTheGpu);
  report.assessments.add(Status::kError, Assessment::kRounding);
  report.assessments.add(Status::kPass, Assessment::kFine);
  EXPECT_FALSE(fails_on(report, "suspect"));
  EXPECT_TRUE(fails_on(report, "error"));
  CompareReport passed = report;
  passed.assessments.add(Status::kPass, Assessment::kSuspect);
  EXPECT_TRUE(fails_on(passed, "suspect"));
  report.assessments.add(Status::kError, Assessment::kSuspect);
  EXPECT_TRUE(fails_on(report, "suspect"));
  EXPECT_TRUE(fails_on(CompareReport(), "suspect")) << "nothing was judged";
}

}  // namespace
}  // namespace msprobe::compare::testing
