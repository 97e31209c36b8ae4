#include "plan/merge.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>

#include "config/chosen.h"
#include "outcome/skipped.h"
#include "plan/option_record.h"
#include "plan/resume.h"
#include "plan/shard.h"
#include "report/result_files.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace msprobe::plan {
namespace {

namespace fs = std::filesystem;
using support::content;
using support::error_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTimestamp = "20260102030405";

// Twelve calls in the order of a dump, names interleaved.
std::string name(size_t i) {
  const char* kinds[] = {"Torch.mul", "Tensor.add_", "Torch.linalg.norm"};
  return std::string(kinds[i % 3]) + "." + std::to_string(i / 3);
}
constexpr size_t kApis = 36;

outcome::ApiOutcome outcome(size_t i) {
  auto o = outcome::skipped_outcome(name(i), i % 4 == 0 ? "skipped, \"because\"" : "");
  if (i % 4 != 0) {
    o.forward = o.rows[0].status = outcome::Status::kPass;
    o.rows[0][outcome::Figure::kCosine] = 1.0 / static_cast<double>(i + 1);
  }
  return o;
}

class MergeTest : public testing::Test {
 protected:
  void SetUp() override { whole_ = part("whole", 0, kApis); }

  std::string part(const std::string& folder, size_t begin, size_t end, int precision = 14) {
    auto files = report::ResultFiles::create(dir_ + "/" + folder, kTimestamp, precision);
    for (size_t i = begin; i < end; ++i) files.append(outcome(i));
    return files.result_path();
  }

  void expect_whole(const Merged& merged) {
    EXPECT_EQ(merged.apis, kApis);
    EXPECT_EQ(content(merged.result_path), content(whole_));
    EXPECT_EQ(content(merged.details_path),
              content(fs::path(whole_).parent_path() / report::file_name("details", kTimestamp)));
  }

  const support::TempFolder folder_;
  const std::string dir_ = folder_.string();
  std::string whole_;
};

TEST_F(MergeTest, PartsInNumberedFoldersGiveTheBytesOfOneRun) {
  const size_t cuts[] = {0, 3, 3, 10, 11, 12, 13, 20, 24, 27, 30, kApis};  // eleven parts, one of them empty
  for (int i = 0; i < 11; ++i) part("out/" + report::shard_folder(i, 11), cuts[i], cuts[i + 1]);
  const Merged merged = merge({dir_ + "/out/"}, dir_ + "/merged");
  expect_whole(merged);
  EXPECT_EQ(fs::path(merged.result_path).parent_path(), dir_ + "/merged");
}

TEST_F(MergeTest, PartsElsewhereAreOrderedByTheirCallNumbers) {
  const std::string a = part("x", 0, 12), b = part("y", 12, 24), c = part("z", 24, kApis);
  expect_whole(merge({c, a, b}, dir_ + "/merged"));
  expect_whole(merge({b, dir_ + "/z", a}, dir_ + "/merged2"));
}

TEST_F(MergeTest, PartsWithoutASharedNameStayAsGiven) {
  const std::string a = part("x", 0, 1), b = part("y", 1, 2), c = part("z", 2, kApis);
  expect_whole(merge({a, b, c}, dir_ + "/merged"));
}

TEST_F(MergeTest, AMissingOrRepeatedPartIsNamed) {
  part("out/" + report::shard_folder(0, 3), 0, 10);
  const std::string third = part("out/" + report::shard_folder(2, 3), 20, kApis);
  EXPECT_EQ(error_of([&] { merge({dir_ + "/out"}, dir_ + "/merged"); }),
            "shard_1_of_3: this part is missing; give all parts of the run");
  EXPECT_THAT(error_of([&] { merge({dir_ + "/out", third}, dir_ + "/merged"); }), HasSubstr("this part is missing"));
  const std::string second = part("out/" + report::shard_folder(1, 3), 10, 20);
  EXPECT_EQ(error_of([&] {
              merge({dir_ + "/out", second}, dir_ + "/merged");
            }),
            second + ": and " + second + " are the same part; give each part once");
  EXPECT_FALSE(fs::exists(dir_ + "/merged"));
  fs::remove_all(dir_ + "/out/" + report::shard_folder(2, 3));
  EXPECT_EQ(error_of([&] { merge({dir_ + "/out"}, dir_ + "/merged"); }),
            "shard_2_of_3: this part is missing; give all parts of the run");
}

TEST_F(MergeTest, AnApiInTwoPartsIsNamed) {
  const std::string a = part("x", 0, 20), b = part("y", 19, kApis);
  EXPECT_THAT(error_of([&] {
                merge({a, b}, dir_ + "/merged");
              }),
              testing::AllOf(HasSubstr("has a row of Tensor.add_.6"), HasSubstr("has one too; give each part once")));
}

TEST_F(MergeTest, AnUnfinishedPartIsNamed) {
  const std::string a = part("x", 0, 20), b = part("y", 20, kApis);
  fs::resize_file(a, fs::file_size(a) - 3);
  EXPECT_THAT(error_of([&] {
                merge({a, b}, dir_ + "/merged");
              }),
              testing::AllOf(testing::StartsWith(a + ": ends in the middle of a row"),
                             HasSubstr("finish that run first, with -csv_path " + a)));
  auto files = report::ResultFiles::create(dir_ + "/z", kTimestamp, 14);
  files.set_options("apis=20\n");
  if (files.options().empty()) GTEST_SKIP() << "this file system keeps no extended attributes";
  for (size_t i = 0; i < 18; ++i) files.append(outcome(i));
  const std::string path = files.result_path();
  { auto closed = std::move(files); }
  EXPECT_EQ(error_of([&] {
              merge({path, b}, dir_ + "/merged");
            }),
            path + ": has rows of 18 of its 20 APIs; finish that part first, with -csv_path " + path);
}

TEST_F(MergeTest, PartsOfOtherRunsAreNamed) {
  const std::string seeds[] = {"seed=1\n", "seed=1\n", "seed=2\n"};
  std::string paths[3];
  for (int i = 0; i < 3; ++i) {
    auto files = report::ResultFiles::create(dir_ + "/out/" + report::shard_folder(i, 3), kTimestamp, 14);
    files.set_options("apis=12\nshard=" + std::to_string(i) + "/3\nthreads=" + std::to_string(i + 1) + "\nonly=\n" +
                      seeds[i]);
    if (files.options().empty()) GTEST_SKIP() << "this file system keeps no extended attributes";
    for (size_t k = 0; k < 12; ++k) files.append(outcome(static_cast<size_t>(i) * 12 + k));
    paths[i] = files.result_path();
  }
  EXPECT_EQ(error_of([&] { merge({dir_ + "/out"}, dir_ + "/merged"); }),
            paths[2] + ": is no part of the run of " + paths[0] +
                ": seed is 2, there it is 1; give the parts of one run, made from one dump with the same options");
  EXPECT_FALSE(fs::exists(dir_ + "/merged"));
  setxattr(paths[2].c_str(), "user.msprobe.options", "apis=12\nshard=2/3\nthreads=9\nseed=1\n", 35, 0);
  expect_whole(merge({dir_ + "/out"}, dir_ + "/merged"));
}

TEST_F(MergeTest, PartsCutByHandMayDifferInWhatCutThem) {
  std::vector<std::string> paths;
  for (const char* only : {"only=mul\nseed=1\n", "only=add\nseed=1\n"}) {
    auto files = report::ResultFiles::create(dir_ + "/" + only[5], kTimestamp, 14);
    files.set_options(only);
    const size_t begin = paths.empty() ? 0 : 20, end = paths.empty() ? 20 : kApis;
    for (size_t k = begin; k < end; ++k) files.append(outcome(k));
    paths.push_back(files.result_path());
  }
  expect_whole(merge(paths, dir_ + "/merged"));
}

TEST_F(MergeTest, APartWithMoreRowsThanItWasBegunForIsWhole) {
  std::vector<std::string> paths;
  for (const auto& [folder, begin, end] : {std::tuple("x", 0, 20), std::tuple("y", 20, 36)}) {
    auto files = report::ResultFiles::create(dir_ + "/" + folder, kTimestamp, 14);
    files.set_options("apis=4\n");  // then resumed with a wider selection
    for (int k = begin; k < end; ++k) files.append(outcome(static_cast<size_t>(k)));
    paths.push_back(files.result_path());
  }
  expect_whole(merge(paths, dir_ + "/merged"));
}

TEST_F(MergeTest, PartsAreReadBesideOtherReaders) {
  const std::string a = part("x", 0, 20), b = part("y", 20, kApis);
  const int other = open(a.c_str(), O_RDONLY);
  ASSERT_EQ(flock(other, LOCK_SH | LOCK_NB), 0);
  expect_whole(merge({a, b}, dir_ + "/merged"));
  close(other);
}

TEST_F(MergeTest, PartsNeedNotBeWritable) {
  const std::string a = part("x", 0, 20), b = part("y", 20, kApis);
  for (const auto& folder : {"x", "y"})
    for (const auto& entry : fs::directory_iterator(dir_ + "/" + folder))
      fs::permissions(entry.path(), fs::perms::owner_read);
  if (access(a.c_str(), W_OK) == 0) GTEST_SKIP() << "root may write to everything";
  expect_whole(merge({a, b}, dir_ + "/merged"));
}

TEST_F(MergeTest, FiguresOfAnotherPrecisionAreNamed) {
  const std::string a = part("x", 0, 20), b = part("y", 20, kApis, 3);
  EXPECT_EQ(error_of([&] {
              merge({a, b}, dir_ + "/merged");
            }),
            b + ": figures have 3 digits after the point, those of " + a + " 14; make the parts with one `precision`");
}

// ---- resuming

std::string dump_text(const std::vector<std::string>& apis) {
  std::string text = R"({"task": "statistics", "dump_data_dir": null, "data": {)";
  for (size_t i = 0; i < apis.size(); ++i)
    text += std::string(i == 0 ? "" : ",") + "\"" + apis[i] + R"(.forward": {"input_args": [], "input_kwargs": {}})";
  return text + "}}";
}

class ResumeTest : public MergeTest {
 protected:
  void SetUp() override {
    MergeTest::SetUp();
    std::vector<std::string> apis;
    for (size_t i = 0; i < kApis; ++i) apis.push_back(name(i));
    folder_.write("dump.json", dump_text(apis));
  }

  std::vector<size_t> all() const {
    std::vector<size_t> todo(kApis);
    for (size_t i = 0; i < kApis; ++i) todo[i] = i;
    return todo;
  }
  std::vector<size_t> from(size_t first) const {
    auto todo = all();
    todo.erase(todo.begin(), todo.begin() + static_cast<std::ptrdiff_t>(first));
    return todo;
  }
  // Its rows are made of `apis`, and a torn rest of one more.
  report::ResultFiles interrupted(const std::vector<size_t>& apis, std::optional<size_t> torn = {}) {
    std::string result, details;
    {
      auto files = report::ResultFiles::create(dir_ + "/run", kTimestamp, 14);
      for (size_t i : apis) files.append(outcome(i));
      result = files.result_path();
      details = files.details_path();
    }
    // Rows of the API that was not finished: a details row, no result row.
    if (torn) support::append(details, name(*torn) + ".forward.output.0" + std::string(20, ',') + "torn");
    return report::ResultFiles::resume(result, 14);
  }
};

TEST_F(ResumeTest, WhatIsLeftStandsBehindWhatIsDone) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  const auto files = interrupted({0, 1, 2, 3, 4}, 5);
  const size_t done = files.done().size();
  EXPECT_EQ(done, 5u);
  EXPECT_EQ(remaining(index, all(), files), from(done));
  EXPECT_NO_THROW(check_done_against(index, from(done), files));
}

TEST_F(ResumeTest, RowsOfAnotherSelectionAreNamed) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  const auto files = interrupted({0, 2, 4}, 6);  // as with -f or --only
  EXPECT_EQ(error_of([&] { remaining(index, all(), files); }),
            files.result_path() + ": row 2 is \"" + name(2) + "\", this run would have \"" + name(1) +
                "\" there; give the options of the interrupted run (-api_info, -f, --only, --except, --rerun-failed, "
                "--shard), "
                "or start anew without -csv_path");
  EXPECT_EQ(remaining(index, {0, 2, 4, 6, 7}, files), (std::vector<size_t>{6, 7}));
  EXPECT_THAT(error_of([&] {
                remaining(index, {0, 2}, files);
              }),
              HasSubstr("row 3 is \"" + name(4) +
                        "\", this run would have no "
                        "such row there"));
  EXPECT_THAT(
      error_of([&] {
        check_done_against(index, {1, 3, 5}, files);
      }),
      HasSubstr("its last row is \"" + name(4) + "\", but \"" + name(1) + "\", which comes before that, has none"));
  EXPECT_NO_THROW(check_done_against(index, {6, 7}, files));
}

TEST_F(ResumeTest, RowsOfAnotherDumpOrOrderAreNamed) {
  folder_.write("other.json", dump_text({"Torch.a.0", "Torch.b.0"}));
  const auto other = dump::Index::open(dir_ + "/other.json");
  const auto files = interrupted({3, 1}, 2);
  EXPECT_THAT(error_of([&] {
                check_done_against(other, {0, 1}, files);
              }),
              HasSubstr("row 1 is \"" + name(3) + "\", which " + dir_ + "/other.json does not have"));
  const auto index = dump::Index::open(dir_ + "/dump.json");
  EXPECT_THAT(error_of([&] { check_done_against(index, {5}, files); }), HasSubstr("stands out of the dump's order"));
}

TEST_F(ResumeTest, UnfinishedRowsOfAnotherRunAreNamedAndTheFilesLeftAlone) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  const std::string path = interrupted({0, 1, 2}).result_path();
  const std::string details = fs::path(path).parent_path() / report::file_name("details", kTimestamp);
  std::string row = name(2) + ".forward.output.0", text = content(details);
  row = text.substr(text.rfind(row));
  row.replace(0, name(2).size(), "Torch.foreign.0");
  support::append(details, row);
  {
    const auto files = report::ResultFiles::resume(path, 14);
    EXPECT_THAT(files.dropped(), ElementsAre("Torch.foreign.0"));
    const std::string expected =
        details +
        ": its last rows are of \"Torch.foreign.0\", which this run would not write there; "
        "give the options of the interrupted run (-api_info, -f, --only, --except, --rerun-failed, "
        "--shard), or start anew without -csv_path";
    EXPECT_EQ(error_of([&] { remaining(index, all(), files); }), expected);
    EXPECT_EQ(error_of([&] { check_done_against(index, from(3), files); }), expected);
  }
  EXPECT_EQ(content(details), text + row);
}

std::vector<std::string> texts(const std::vector<OptionDifference>& differences) {
  std::vector<std::string> all;
  for (const auto& difference : differences) all.push_back(difference.text());
  return all;
}

TEST_F(ResumeTest, RowsOfOtherFiguresAreRefusedAndOtherOptionsAreNot) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  const config::Settings begun;
  auto files = report::ResultFiles::create(dir_ + "/run", kTimestamp, 14);
  files.set_options(option_record(begun, index, kApis));
  if (files.options().empty()) GTEST_SKIP() << "this file system keeps no extended attributes";
  EXPECT_NO_THROW(check_options(begun, index, files));
  const auto refusal = [&](auto change) {
    config::Settings settings = begun;
    change(settings);
    return error_of([&] { check_options(settings, index, files); });
  };
  folder_.write("standard.yaml", "another: 1\n");
  using S = config::Settings;
  const std::pair<std::string, std::string> refusals[] = {
      {refusal([](S& s) { s.seed = 7; }), "seed: 1234 then, 7 now"},
      {refusal([](S& s) { s.profile = config::Profile::kMindstudio; }),
       "precision_profile: documented then, mindstudio now"},
      {refusal([](S& s) {
         s.default_range = {-2, 1};
       }),
       "default_range: -1 1 then, -2 1 now"},
      {refusal([](S& s) { s.hf32_inputs = config::Hf32::kOn; }), "hf32_inputs: auto then, on now"},
      {refusal([](S& s) { s.device_type = "cuda"; }), "device_type: not given then, cuda now"},
      {refusal([](S& s) { s.seed = 7, s.device_type = "npu"; }),
       "seed: 1234 then, 7 now, device_type: not given then, npu now"},
  };
  for (const auto& [message, differences] : refusals)
    EXPECT_EQ(message, files.result_path() +
                           ": was begun with other options, so that its rows and new ones do not go together: " +
                           differences + "; give the options that it was begun with, or start anew without -csv_path");
  EXPECT_THAT(refusal([&](S& s) { s.precision_standard = dir_ + "/standard.yaml"; }),
              HasSubstr("precision_standard: precision_standard.yaml "));
  EXPECT_THAT(refusal([&](S& s) { s.fused_operators = dir_ + "/standard.yaml"; }),
              HasSubstr("together: fused_operators: fused_operators.yaml "));
  for (const auto& message : {refusal([](S& s) { s.threads = 3; }), refusal([](S& s) { s.timeout = 5; }),
                              refusal([](S& s) { s.black_list = {"mul"}; }), refusal([](S& s) { s.only = "mul"; })})
    EXPECT_EQ(message, "no error");

  // A dump of the same names and places, in which one byte of a record is another.
  std::string changed = content(dir_ + "/dump.json");
  const size_t list = changed.rfind("[]");
  ASSERT_NE(list, std::string::npos);
  changed.replace(list, 2, "{}");
  folder_.write("changed.json", changed);
  EXPECT_THAT(error_of([&] { check_options(begun, dump::Index::open(dir_ + "/changed.json"), files); }),
              HasSubstr("together: dump: "));

  // A dump of the same size that holds other calls.
  std::string text = content(dir_ + "/dump.json");
  text.replace(text.find("Torch.mul.0"), 11, "Torch.mvl.0");
  folder_.write("other.json", text);
  EXPECT_THAT(error_of([&] { check_options(begun, dump::Index::open(dir_ + "/other.json"), files); }),
              HasSubstr("together: dump: "));
}

TEST_F(ResumeTest, AStandardIsItsContentsWhereverItLies) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  config::Settings named;
  named.precision_standard = dir_ + "/precision_standard.yaml";
  fs::copy_file(config::installed_config("precision_standard.yaml"), named.precision_standard);
  EXPECT_THAT(option_differences(option_record({}, index, 1), option_record(named, index, 1)), IsEmpty());
}

// config.yaml as installed names the standard's list; a file without it means the same.
TEST_F(ResumeTest, TheListOfTheStandardIsTheSameNamedOrNot) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  config::Settings named;
  named.quantization_api_list = config::in_effect({}).quantization_api_list;
  named.origin["quantization_api_list"] = "config.yaml:1";
  ASSERT_FALSE(named.quantization_api_list.empty());
  EXPECT_THAT(option_differences(option_record({}, index, 1), option_record(named, index, 1)), IsEmpty());
  named.quantization_api_list = {};  // []: none
  EXPECT_THAT(texts(option_differences(option_record({}, index, 1), option_record(named, index, 1))),
              ElementsAre(testing::MatchesRegex("quantization_api_list: npu_.* then, not given now")));
}

TEST_F(ResumeTest, WhereTensorsAreSavedIsTold) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  config::Settings then;
  then.save_data = config::SaveData::kAll;
  config::Settings now = then;
  now.error_data_path = "elsewhere";
  EXPECT_THAT(texts(option_differences(option_record(then, index, 1), option_record(now, index, 1))),
              ElementsAre(HasSubstr("error_data_path: ")));
}

TEST_F(ResumeTest, OptionsThatDifferAreTold) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  config::Settings then, now;
  now.seed = 99;
  now.black_list = {"conv2d", "Torch.mul"};
  now.filter_api = true;
  const std::string record = option_record(then, index, kApis);
  EXPECT_THAT(option_differences(record, option_record(then, index, kApis)), IsEmpty());
  EXPECT_THAT(texts(option_differences(record, option_record(now, index, kApis))),
              ElementsAre("seed: 1234 then, 99 now", "filter_api: off then, on now",
                          "black_list: not given then, conv2d Torch.mul now"));
  EXPECT_THAT(option_differences("", record), IsEmpty());
  EXPECT_EQ(recorded_option(record, "apis"), "36");
  EXPECT_EQ(recorded_option(record, "nothing"), "");
  EXPECT_EQ(recorded_option(with_option(record, "apis", "40"), "apis"), "40");
  EXPECT_EQ(with_option(with_option(record, "apis", "40"), "apis", "36"), record);
}

TEST_F(ResumeTest, LongListsFitIntoAnAttributeAndStillDiffer) {
  const auto index = dump::Index::open(dir_ + "/dump.json");
  config::Settings a, b;
  std::vector<std::string> names(1000, "conv2d");
  a.white_list = names;
  names.back() = "conv3d";
  b.white_list = names;
  const std::string record = option_record(a, index, kApis);
  EXPECT_LT(record.size(), 2000u);
  EXPECT_EQ(option_differences(record, option_record(b, index, kApis)).size(), 1u);
}

}  // namespace
}  // namespace msprobe::plan
