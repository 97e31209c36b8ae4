#include "report/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "support/error_of.h"
#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::report {
namespace {

namespace fs = std::filesystem;
using outcome::ApiOutcome;
using outcome::Figure;
using outcome::Row;
using outcome::Status;
using support::content;
using support::error_of;
using support::write;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTimestamp = "20260102030405";

Row row(const std::string& name, Status status, double cosine, const std::string& message) {
  Row r;
  r.name = name;
  r.bench_dtype = "torch.float64";
  r.device_dtype = "torch.float16";
  r.shape = "(2, 3)";
  r[Figure::kCosine] = cosine;
  r[Figure::kMaxAbs] = 1e-9;
  r.status = status;
  r.message = message;
  return r;
}

// What a run writes, with every kind of row: several outputs, backward, quotes, Chinese, a comma, a skip.
std::vector<ApiOutcome> outcomes() {
  std::vector<ApiOutcome> all;
  auto add = [&](const std::string& api, Status forward, Status backward, const std::string& message,
                 std::vector<Row> rows) {
    ApiOutcome o;
    o.api = api;
    o.forward = forward;
    o.backward = backward;
    o.message = message;
    o.rows = std::move(rows);
    all.push_back(std::move(o));
  };
  add("Torch.mul.0", Status::kPass, Status::kPass, "",
      {row("Torch.mul.0.forward.output.0", Status::kPass, 1, ""),
       row("Torch.mul.0.backward.output.0", Status::kPass, 1, ""),
       row("Torch.mul.0.backward.output.1", Status::kSkip, 1, "no gradient")});
  add("Tensor.__add__.12", Status::kError, Status::kBlank, "余弦相似度 0.5 <= 0.99, \"see\" details",
      {row("Tensor.__add__.12.forward.output.0", Status::kError, 0.5, "误差, \"大\"")});
  Row skip;
  skip.name = "Torch.mul.1.forward.output.0";
  skip.message = "crashed: SIGSEGV (segmentation fault)";
  add("Torch.mul.1", Status::kSkip, Status::kSkip, skip.message, {skip});
  add("Aten.threshold_backward.0", Status::kWarning, Status::kBlank, "",
      {row("Aten.threshold_backward.0.forward.output.0", Status::kWarning, 1, ""),
       row("Aten.threshold_backward.0.forward.output.1", Status::kPass, 1, "")});
  add("Functional.dropout.0", Status::kPass, Status::kBlank, "", {});  // profile mindstudio: no details
  add("Torch.linalg.norm.3", Status::kPass, Status::kBlank, "",
      {row("Torch.linalg.norm.3.forward.output.0", Status::kPass, 1, "little evidence")});
  return all;
}

class ResultFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto files = ResultFiles::create(dir_ + "/reference", kTimestamp, 14);
    for (const auto& o : outcomes()) files.append(o);
    reference_result_ = content(files.result_path());
    reference_details_ = content(files.details_path());
    result_ = dir_ + "/" + file_name("result", kTimestamp);
    details_ = dir_ + "/" + file_name("details", kTimestamp);
  }

  // Puts the pair there, without seal, as copied files are.
  void put(const std::string& result, const std::string& details) {
    fs::remove(result_);
    fs::remove(details_);
    write(result_, result);
    write(details_, details);
  }

  // Resumes and finishes the run.
  void go_on() {
    auto files = ResultFiles::resume(result_, 14);
    const auto all = outcomes();
    for (size_t i = 0; i < files.done().size(); ++i) ASSERT_EQ(files.done()[i], all[i].api);
    size_t next = files.done().size();  // an API without details may be missing among the dropped
    for (const auto& api : files.dropped()) {
      while (next < all.size() && all[next].api != api) ++next;
      ASSERT_LT(next++, all.size()) << api;
    }
    for (size_t i = files.done().size(); i < all.size(); ++i) files.append(all[i]);
    // Complete files have nothing to append, but a doubtful last row is made again above, and sync() settles the rest.
    files.sync();
    ASSERT_EQ(content(result_), reference_result_);
    ASSERT_EQ(content(details_), reference_details_);
  }

  // The message, after checking that neither file was touched.
  std::string refusal() {
    const std::string result = content(result_), details = content(details_);
    const std::string message = error_of([&] { ResultFiles::resume(result_, 14); });
    EXPECT_EQ(content(result_), result);
    EXPECT_EQ(content(details_), details);
    return message;
  }

  const support::TempFolder folder_{support::memory_folder()};  // thousands of files are put there
  const std::string dir_ = folder_.string();
  std::string result_, details_, reference_result_, reference_details_;
};

TEST_F(ResultFilesTest, NewFilesHaveMarkHeaderAndMode0640WhateverTheUmask) {
  const mode_t old = umask(0077);
  auto files = ResultFiles::create(dir_ + "/a/b", kTimestamp, 14);
  umask(old);
  EXPECT_EQ(files.result_path(), dir_ + "/a/b/accuracy_checking_result_20260102030405.csv");
  EXPECT_EQ(files.details_path(), dir_ + "/a/b/accuracy_checking_details_20260102030405.csv");
  EXPECT_EQ(content(files.result_path()),
            "\xEF\xBB\xBF"
            "API name,Forward Test Success,Backward Test Success,Message\r\n");
  struct stat status;
  for (const auto& path : {files.result_path(), files.details_path()}) {
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640u) << path;
  }
}

TEST_F(ResultFilesTest, RowsAreInBothFilesWhenAppendReturns) {
  auto files = ResultFiles::create(dir_, "20260101000000", 3);
  files.append(outcomes()[1]);
  EXPECT_THAT(
      content(files.result_path()),
      testing::EndsWith("Message\r\nTensor.__add__.12,error, ,\"余弦相似度 0.5 <= 0.99, \"\"see\"\" details\"\r\n"));
  EXPECT_THAT(content(files.details_path()),
              testing::EndsWith("Tensor.__add__.12.forward.output.0,torch.float64,torch.float16,\"(2, 3)\",0.500,0.000"
                                ", , , , , , , , , , , , , , , ,error,\"误差, \"\"大\"\"\"\r\n"));
}

TEST_F(ResultFilesTest, FilesThatAreTakenAwayOrChangedMeanwhileAreNamed) {
  struct Case {
    const char* name;
    std::function<void(const std::string&)> harm;
    std::string message;
  };
  const auto replace = [](const std::string& path) {
    write(path + ".new", "x");
    fs::rename(path + ".new", path);
  };
  const std::string lost = "; its rows are lost: start again, and leave the files alone until the run ends";
  const std::string mixed =
      "something else changed it meanwhile; start again, and leave the files alone until the run ends";
  const Case cases[] = {
      {"deleted", [](const std::string& path) { fs::remove(path); },
       ": was deleted or replaced while this run wrote it" + lost},
      {"replaced", replace, ": was deleted or replaced while this run wrote it" + lost},
      {"moved", [](const std::string& path) { fs::rename(path, path + ".old"); },
       ": was moved while this run wrote it; put it back, then go on with -csv_path, and leave it alone until the run "
       "ends"},
      {"cut", [](const std::string& path) { fs::resize_file(path, 1); },
       ": something else cut it short meanwhile; go on with -csv_path, which makes the rows again that are gone, and "
       "leave the files alone until the run ends"},
      {"added to", [](const std::string& path) { support::append(path, "x"); }, mixed},
  };
  for (const bool at_details : {false, true})
    for (const Case& c : cases) {
      SCOPED_TRACE(c.name);
      auto files = ResultFiles::create(dir_ + "/" + c.name + (at_details ? "1" : "0"), kTimestamp, 14);
      files.append(outcomes()[0]);
      EXPECT_NO_THROW(files.sync());
      const std::string path = at_details ? files.details_path() : files.result_path();
      c.harm(path);
      const std::string message = error_of([&] { files.sync(); });
      EXPECT_TRUE(message.starts_with(path + ": ")) << message;
      EXPECT_NE(message.find(c.message), std::string::npos) << message;
    }
}

// Cut short, the next row would stand behind NUL bytes; added to, in the middle of what somebody else wrote.
TEST_F(ResultFilesTest, NothingIsAppendedToAFileOfAnotherLengthThanItWasLeftWith) {
  for (const bool at_details : {false, true})
    for (const bool longer : {false, true}) {
      const std::string folder = dir_ + "/length" + std::to_string(2 * at_details + longer);
      auto files = ResultFiles::create(folder, kTimestamp, 14);
      files.append(outcomes()[0]);
      const std::string path = at_details ? files.details_path() : files.result_path();
      const auto whole = fs::file_size(path);
      if (longer)
        support::append(path, "x");
      else
        fs::resize_file(path, 10);
      const std::string result = content(files.result_path()), details = content(files.details_path());
      const std::string expected = path + ": holds " + std::to_string(longer ? whole + 1 : 10) +
                                   " bytes, this run wrote " + std::to_string(whole) + ": something else " +
                                   (longer ? "changed it" : "cut it short") + " meanwhile; ";
      for (int i : {1, 2}) EXPECT_THAT(error_of([&] { files.append(outcomes()[i]); }), testing::StartsWith(expected));
      EXPECT_THAT(error_of([&] { files.sync(); }), testing::StartsWith(expected));
      EXPECT_EQ(content(files.result_path()), result);
      EXPECT_EQ(content(files.details_path()), details);
    }
}

TEST_F(ResultFilesTest, AFileThatWasCutShortMeanwhileGoesOnToTheSameBytes) {
  for (const bool at_details : {false, true})
    for (const uintmax_t left : {0, 10, 300}) {
      fs::remove(result_);
      fs::remove(details_);
      {
        auto files = ResultFiles::create(dir_, kTimestamp, 14);
        for (int i : {0, 1, 2}) files.append(outcomes()[i]);
        const std::string path = at_details ? details_ : result_;
        fs::resize_file(path, std::min(left, fs::file_size(path) - 1));
        EXPECT_THROW(files.append(outcomes()[3]), Error);
      }
      go_on();
    }
}

TEST_F(ResultFilesTest, AResumedRunLooksAtBothFilesBeforeItChangesThem) {
  put(reference_result_ + "Torch.mul.9,pa", reference_details_);
  auto files = ResultFiles::resume(result_, 14);
  fs::resize_file(details_, 10);
  EXPECT_THAT(error_of([&] { files.append(outcomes()[0]); }), testing::StartsWith(details_ + ": holds 10 bytes"));
  EXPECT_EQ(content(result_), reference_result_ + "Torch.mul.9,pa");
  EXPECT_EQ(fs::file_size(details_), 10u);
}

TEST_F(ResultFilesTest, FilesThatAreTakenAwayAreMissedWithinASecondOrTwo) {
  auto files = ResultFiles::create(dir_ + "/taken", kTimestamp, 14);
  fs::remove(files.result_path());
  const auto start = std::chrono::steady_clock::now();
  std::string message = "no error";
  while (message == "no error" && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    message = error_of([&] { files.append(outcomes()[0]); });
    usleep(20'000);
  }
  EXPECT_NE(message.find("was deleted or replaced while this run wrote it"), std::string::npos) << message;
}

TEST_F(ResultFilesTest, ASecondRunOfTheSameSecondTakesTheNextOne) {
  auto first = ResultFiles::create(dir_, "20251231235959", 14);
  auto second = ResultFiles::create(dir_, "20251231235959", 14);
  EXPECT_EQ(first.timestamp(), "20251231235959");
  EXPECT_EQ(second.timestamp(), "20260101000000");
  EXPECT_EQ(second.result_path(), dir_ + "/accuracy_checking_result_20260101000000.csv");
}

TEST_F(ResultFilesTest, ATimestampThatIsTakenElsewhereLeavesNoFilesAndTheNextOneIsAsked) {
  std::vector<std::string> asked;
  auto files = ResultFiles::create(dir_ + "/new", "20251231235958", 14, [&](const std::string& timestamp) {
    asked.push_back(timestamp);
    return asked.size() == 3;
  });
  EXPECT_EQ(asked, (std::vector<std::string>{"20251231235958", "20251231235959", "20260101000000"}));
  EXPECT_EQ(files.timestamp(), "20260101000000");
  size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir_ + "/new")) ++entries;
  EXPECT_EQ(entries, 2u);
}

TEST_F(ResultFilesTest, ALinkInThePlaceOfAFileIsNotFollowed) {
  write(dir_ + "/victim", "untouched");
  fs::create_symlink(dir_ + "/victim", dir_ + "/" + file_name("details", "20260303030303"));
  auto files = ResultFiles::create(dir_, "20260303030303", 14);
  EXPECT_EQ(files.timestamp(), "20260303030304");
  EXPECT_EQ(content(dir_ + "/victim"), "untouched");
}

TEST_F(ResultFilesTest, AFileWithASecondNameIsNotGoneOnWith) {
  for (const std::string& file : {result_, details_}) {
    put(reference_result_, reference_details_);
    fs::create_hard_link(file, dir_ + "/second");
    EXPECT_THAT(error_of([&] { ResultFiles::resume(result_, 14); }),
                testing::AllOf(testing::StartsWith(file + ": has 2 names (hard links)"), HasSubstr("; make a copy")));
    EXPECT_EQ(read_whole(result_).apis.empty(), false);  // reading changes neither
    fs::remove(dir_ + "/second");
  }
}

TEST_F(ResultFilesTest, AFileInThePlaceOfTheFolderIsNamed) {
  write(dir_ + "/file", "x");
  EXPECT_THAT(error_of([&] { ResultFiles::create(dir_ + "/file", kTimestamp, 14); }),
              testing::AllOf(testing::StartsWith(dir_ + "/file: "), HasSubstr("choose another folder with -o")));
}

TEST_F(ResultFilesTest, ResumeWantsTheNameThatARunGives) {
  for (const char* name :
       {"result.csv", "accuracy_checking_result_2026010203040.csv", "accuracy_checking_result_2026010203040x.csv",
        "accuracy_checking_details_20260102030405.csv", "accuracy_checking_result_20260102030405.csv.bak"}) {
    write(dir_ + "/" + name, reference_result_);
    EXPECT_EQ(error_of([&] { ResultFiles::resume(dir_ + "/" + name, 14); }),
              dir_ + "/" + name +
                  ": is not named accuracy_checking_result_{14 digits}.csv; give the result file of the "
                  "interrupted run under the name that it had");
  }
}

TEST_F(ResultFilesTest, ResumeWantsBothFiles) {
  write(result_, reference_result_);
  EXPECT_EQ(error_of([&] { ResultFiles::resume(result_, 14); }),
            details_ + ": no such file; give the result file of the interrupted run, its details file beside it");
  ASSERT_EQ(mkfifo(details_.c_str(), 0640), 0);
  EXPECT_EQ(error_of([&] { ResultFiles::resume(result_, 14); }), details_ + ": is not a regular file");
}

TEST_F(ResultFilesTest, EveryTruncationOfTheResultFileGoesOnToTheSameBytes) {
  for (size_t n = 0; n <= reference_result_.size(); ++n) {
    SCOPED_TRACE(n);
    put(reference_result_.substr(0, n), reference_details_);
    go_on();
    if (HasFatalFailure()) return;
  }
}

TEST_F(ResultFilesTest, EveryTruncationOfTheDetailsFileGoesOnToTheSameBytes) {
  for (size_t n = 0; n <= reference_details_.size(); ++n) {
    SCOPED_TRACE(n);
    put(reference_result_, reference_details_.substr(0, n));
    go_on();
    if (HasFatalFailure()) return;
  }
}

TEST_F(ResultFilesTest, TruncationsOfBothFilesGoOnToTheSameBytes) {
  for (size_t n = 0; n <= reference_result_.size(); n += 7)
    for (size_t m = 0; m <= reference_details_.size(); m += 13) {
      SCOPED_TRACE(std::to_string(n) + " " + std::to_string(m));
      put(reference_result_.substr(0, n), reference_details_.substr(0, m));
      go_on();
      if (HasFatalFailure()) return;
    }
}

TEST_F(ResultFilesTest, ZerosThatAPowerCutLeavesAreDropped) {
  put(reference_result_.substr(0, reference_result_.size() - 40) + std::string(40, '\0'),
      reference_details_.substr(0, reference_details_.size() - 300) + std::string(5000, '\0'));
  go_on();
}

TEST_F(ResultFilesTest, AppendedGarbageIsDroppedOrNamed) {
  put(reference_result_ + "Torch.mul.7,pa", reference_details_);
  go_on();
  put(reference_result_ + "hello\r\n", reference_details_);
  EXPECT_EQ(refusal(),
            result_ +
                " line 8: has 1 cells, expected 4; give the files as the interrupted run left them, or start "
                "anew without -csv_path");
  put(reference_result_, reference_details_ + "hello\r\n");
  EXPECT_THAT(refusal(), HasSubstr(details_ + " line 10: has 1 cells, expected 23"));
}

TEST_F(ResultFilesTest, OtherLineEndsAndForeignFilesAreNamed) {
  std::string lf = reference_result_, cr = reference_result_;
  for (size_t i = 0; (i = lf.find("\r\n", i)) != std::string::npos;) lf.erase(i, 1);
  for (size_t i = 0; (i = cr.find("\r\n", i)) != std::string::npos;) cr.erase(i + 1, 1);
  for (const auto& text : {lf, cr, reference_result_.substr(3), std::string("a,b\r\n1,2\r\n"), reference_details_}) {
    put(text, reference_details_);
    EXPECT_EQ(refusal(),
              result_ +
                  " line 1: these are not the columns of such a file of msprobe (or another program saved the "
                  "file again); give the files as the interrupted run left them, or start anew without "
                  "-csv_path");
  }
  put(reference_result_, reference_result_);
  EXPECT_THAT(refusal(), HasSubstr(details_ + " line 1: these are not the columns"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST_F(ResultFilesTest, EditedCellsAreNamed) {
  put(replaced(reference_result_, "Torch.mul.1,SKIP", "Torch.mul.1,skip"), reference_details_);
  EXPECT_THAT(refusal(), HasSubstr(result_ + " line 4: \"skip\" is no verdict"));
  put(replaced(reference_result_, "__add__.12,error", "__add__.12,pass"), reference_details_);
  EXPECT_THAT(refusal(),
              HasSubstr(result_ + " line 3: the forward verdict of Tensor.__add__.12 is \"pass\", its rows in " +
                        details_ + " (line 5) say otherwise"));
  put(replaced(reference_result_, "Torch.mul.0,pass", "Torch.mul.0,error"), reference_details_);
  EXPECT_THAT(refusal(), HasSubstr("the forward verdict of Torch.mul.0 is \"error\""));
  put(reference_result_, replaced(reference_details_, "0.00000000100000", "0.0000000010"));
  EXPECT_THAT(refusal(),
              HasSubstr(details_ + " line 2: figures have 10 digits after the point, this run writes 14; resume "
                                   "with `precision: 10` in the configuration"));
  put(reference_result_, replaced(reference_details_, "0.00000000100000", "much"));
  EXPECT_THAT(refusal(), HasSubstr(details_ + " line 2: \"much\" is no figure"));
  put(reference_result_, replaced(reference_details_, "Torch.mul.0.forward", "Torch.mul.0.sideways"));
  EXPECT_THAT(refusal(), HasSubstr("\"Torch.mul.0.sideways.output.0\" is no name of an output"));
}

TEST_F(ResultFilesTest, RowsOutOfOrderTwiceOrOfAnotherRunAreNamed) {
  std::string other = replaced(reference_details_, "Torch.mul.0.forward", "Torch.div.0.forward");
  put(reference_result_, other);
  EXPECT_THAT(refusal(),
              HasSubstr(details_ + " line 2: is a row of Torch.div.0, expected rows of Torch.mul.0 (line 2 of " +
                        result_ + ")"));
  std::string swapped = replaced(replaced(reference_result_, "Torch.mul.0", "X"), "Torch.mul.1", "Torch.mul.0");
  put(replaced(swapped, "X", "Torch.mul.1"), reference_details_);
  EXPECT_THAT(refusal(), HasSubstr("expected rows of Torch.mul.1"));
  put(replaced(reference_result_, "Torch.mul.1", "Torch.mul.0"), reference_details_);
  EXPECT_THAT(refusal(), HasSubstr(result_ + " line 4: Torch.mul.0 has a row already"));
}

TEST_F(ResultFilesTest, AMissingRowInTheMiddleOfTheDetailsIsNamed) {
  const size_t begin = reference_details_.find("Tensor.__add__.12");
  std::string details = reference_details_;
  details.erase(begin, details.find("\r\n", begin) + 2 - begin);
  put(reference_result_, details);
  EXPECT_THAT(refusal(), HasSubstr("is a row of Torch.mul.1, expected rows of Tensor.__add__.12"));
}

TEST_F(ResultFilesTest, TheDestructorOfAnUnusedResumeLeavesTheFilesAlone) {
  put(reference_result_.substr(0, 150), reference_details_ + "torn");
  const std::string result = content(result_);
  { auto files = ResultFiles::resume(result_, 14); }
  EXPECT_EQ(content(result_), result);
  EXPECT_EQ(content(details_), reference_details_ + "torn");
}

bool keeps_attributes(const std::string& path) {
  return setxattr(path.c_str(), "user.msprobe.test", "1", 1, 0) == 0;
}

TEST_F(ResultFilesTest, SealedFilesLoseNoRow) {
  std::string result;
  {
    auto files = ResultFiles::create(dir_, "20260606060606", 14);
    if (!keeps_attributes(files.result_path())) GTEST_SKIP() << "this file system keeps no extended attributes";
    for (size_t i = 0; i < 3; ++i) files.append(outcomes()[i]);
    result = files.result_path();
  }
  auto files = ResultFiles::resume(result, 14);
  EXPECT_THAT(files.done(), ElementsAre("Torch.mul.0", "Tensor.__add__.12", "Torch.mul.1"));
  EXPECT_THAT(files.dropped(), IsEmpty());
}

TEST_F(ResultFilesTest, FilesWithoutASealHaveTheirLastRowMadeAgain) {
  put(reference_result_, reference_details_);
  auto files = ResultFiles::resume(result_, 14);
  EXPECT_THAT(files.done(), ElementsAre("Torch.mul.0", "Tensor.__add__.12", "Torch.mul.1", "Aten.threshold_backward.0",
                                        "Functional.dropout.0"));
  EXPECT_THAT(files.dropped(), ElementsAre("Torch.linalg.norm.3"));
}

TEST_F(ResultFilesTest, TheSealShowsAnyChangedByte) {
  auto make = [&](const std::string& timestamp) {
    auto files = ResultFiles::create(dir_, timestamp, 14);
    for (const auto& o : outcomes()) files.append(o);
    return std::pair(files.result_path(), files.details_path());
  };
  auto [result, details] = make("20260606060606");
  if (!keeps_attributes(result)) GTEST_SKIP() << "this file system keeps no extended attributes";
  write(details, replaced(reference_details_, "0.00000000100000", "0.00000000100001"));
  EXPECT_EQ(
      error_of([&, r = result] { ResultFiles::resume(r, 14); }),
      details +
          ": was changed after msprobe wrote it (its checksum differs); give the files as the interrupted run left "
          "them, or start anew without -csv_path");
  auto [result2, details2] = make("20260606060607");
  write(result2, replaced(reference_result_, "see", "sea"));
  EXPECT_THAT(error_of([&, r = result2] { ResultFiles::resume(r, 14); }),
              testing::StartsWith(result2 + ": was changed"));
}

TEST_F(ResultFilesTest, TruncationsOfSealedFilesGoOnToTheSameBytes) {
  char seal[200];
  const std::string sealed = dir_ + "/reference/" + file_name("result", kTimestamp);
  const ssize_t size = getxattr(sealed.c_str(), "user.msprobe.seal", seal, sizeof seal);
  if (size < 0) GTEST_SKIP() << "this file system keeps no extended attributes";
  for (size_t n = 0; n <= reference_result_.size() + reference_details_.size(); ++n) {
    SCOPED_TRACE(n);
    const bool first = n <= reference_result_.size();
    put(first ? reference_result_.substr(0, n) : reference_result_,
        first ? reference_details_ : reference_details_.substr(0, n - reference_result_.size()));
    ASSERT_EQ(setxattr(result_.c_str(), "user.msprobe.seal", seal, static_cast<size_t>(size), 0), 0);
    go_on();
    if (HasFatalFailure()) return;
  }
}

TEST_F(ResultFilesTest, OptionsAreRememberedBesideTheBytes) {
  auto files = ResultFiles::create(dir_, "20260606060606", 14);
  if (!keeps_attributes(files.result_path())) GTEST_SKIP() << "this file system keeps no extended attributes";
  EXPECT_EQ(files.options(), "");
  files.set_options("seed=1234\nprecision=14\n");
  const std::string path = files.result_path();
  { auto gone = std::move(files); }
  EXPECT_EQ(ResultFiles::resume(path, 14).options(), "seed=1234\nprecision=14\n");
}

TEST_F(ResultFilesTest, AFileBeingWrittenIsNotResumedAndItsProcessNamed) {
  auto files = ResultFiles::create(dir_, "20260606060606", 14);
  EXPECT_THAT(
      error_of([&] { ResultFiles::resume(files.result_path(), 14); }),
      testing::MatchesRegex(".*accuracy_checking_result_20260606060606.csv: process " + std::to_string(getpid()) +
                            " \\(.*\\) is still writing it; wait until it has ended, or end it"));
}

TEST_F(ResultFilesTest, AForkedChildDoesNotHoldTheLock) {
  auto files = std::make_unique<ResultFiles>(ResultFiles::create(dir_, "20260606060606", 14));
  const std::string path = files->result_path();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    files->close_in_child();
    if (::write(ready[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char c;
  ASSERT_EQ(::read(ready[0], &c, 1), 1);
  files.reset();
  EXPECT_EQ(ResultFiles::resume(path, 14).done().size(), 0u);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// A limit on file sizes stands in for the full disk: the kernel writes what fits, then refuses.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit old_;
};

TEST_F(ResultFilesTest, AFullDiskAtAnyByteLeavesWholeRowsAndGoesOnLater) {
  const auto all = outcomes();
  for (size_t limit = 0; limit < reference_details_.size(); ++limit) {
    SCOPED_TRACE(limit);
    fs::remove(result_);
    fs::remove(details_);
    std::string message;
    {
      SizeLimit full(limit);
      message = error_of([&] {
        auto files = ResultFiles::create(dir_, kTimestamp, 14);
        for (const auto& o : all) files.append(o);
      });
    }
    ASSERT_THAT(
        message,
        testing::ContainsRegex(
            "cannot be written: File too large, [0-9]+ bytes more are needed; allow larger files .ulimit -f., then "));
    if (!fs::exists(result_)) {  // not even the headers fitted: nothing was left behind
      ASSERT_FALSE(fs::exists(details_));
      continue;
    }
    ASSERT_EQ(reference_details_.compare(0, content(details_).size(), content(details_)), 0);
    ASSERT_THAT(content(details_), testing::EndsWith("\r\n"));
    ASSERT_THAT(content(result_), testing::EndsWith("\r\n"));
    ASSERT_THAT(message, HasSubstr("needed; allow larger files (ulimit -f), then go on with -csv_path " + result_));
    go_on();
    if (HasFatalFailure()) return;
  }
}

TEST_F(ResultFilesTest, NamesInCellsReadAsInTheFile) {
  for (const auto& [api, cell] : std::vector<std::pair<std::string, std::string>>{{"Torch.mul.0", "Torch.mul.0"},
                                                                                  {"=x.y.0", "'=x.y.0"},
                                                                                  {"a,\"b\".0", "a,\"b\".0"},
                                                                                  {"a\r\nb", "a b"},
                                                                                  {"", " "}})
    EXPECT_EQ(name_in_file(api), cell);
  EXPECT_EQ(timestamp_of("accuracy_checking_result_20260102030405.csv"), "20260102030405");
  EXPECT_EQ(timestamp_now().size(), 14u);
}

}  // namespace
}  // namespace msprobe::report
