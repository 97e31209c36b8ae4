// Which APIs a run takes, when it stops and what it exits with: the options of the program, by the rows that it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>
#include <set>

#include "report/csv_reader.h"
#include "support/program.h"

namespace msprobe::cli {
namespace {

using support::content;
using support::Outcome;
using support::ProgramFixture;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using Names = std::vector<std::string>;

/// mul and exp and add pass; layer_norm of numbers near 1e5 is wrong in float32, linear in bfloat16 is coarse.
const std::string kDump = MSPROBE_TEST_DATA "/cli/verdicts.json";
const std::string kCheck = "acc_check -api_info '" + kDump + "' --device_type cpu ";
const std::string kCheckShown = "acc_check -api_info " + kDump + " --device_type cpu ";  // where no quotes are needed
const Names kAll = {"Torch.mul.0",         "Functional.layer_norm.0", "Torch.exp.1",
                    "Functional.linear.0", "Functional.layer_norm.2", "Functional.layer_norm.3",
                    "Torch.add.0"};
const Names kFailed = {"Functional.layer_norm.0", "Functional.linear.0", "Functional.layer_norm.2",
                       "Functional.layer_norm.3"};

class SelectionTest : public ProgramFixture {
 protected:
  std::string result(const std::string& folder) const {
    return only_file(folder, "accuracy_checking_result_").string();
  }
  Names rows(const std::string& folder) const {
    Names names;
    for (const auto row : report::read_table(result(folder), {"Message"}).rows) names.emplace_back(row[0]);
    return names;
  }
};

TEST_F(SelectionTest, OnlyTakesNamesThatMatchAndExceptLeavesThemOut) {
  ASSERT_EQ(msprobe(kCheck + "-o a --only 'Torch\\.(mul|exp)'").code, 0);
  EXPECT_EQ(rows("a"), (Names{"Torch.mul.0", "Torch.exp.1"}));
  ASSERT_EQ(msprobe(kCheck + "-o b --except 'Torch|linear'").code, 0);
  EXPECT_EQ(rows("b"), (Names{"Functional.layer_norm.0", "Functional.layer_norm.2", "Functional.layer_norm.3"}));
  ASSERT_EQ(msprobe(kCheck + "-o c --only layer_norm --except '[03]$'").code, 0);
  EXPECT_EQ(rows("c"), Names{"Functional.layer_norm.2"});
}

TEST_F(SelectionTest, OnlyThatLeavesNothingIsCodeTwo) {
  const Outcome outcome = msprobe(kCheck + "-o a --only softmax");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "msprobe: error: --only: \"softmax\" leaves none of the 7 APIs of " + kDump +
                             "; --list shows their names\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(SelectionTest, RerunFailedTakesErrorsAndWarnings) {
  ASSERT_EQ(msprobe(kCheck + "-o a").code, 0);
  ASSERT_EQ(rows("a"), kAll);
  ASSERT_EQ(msprobe(kCheck + "-o b --rerun-failed '" + result("a") + "'").code, 0);
  EXPECT_EQ(rows("b"), kFailed);
}

TEST_F(SelectionTest, RerunFailedOfAnotherDumpNamesAnApi) {
  folder_.write("accuracy_checking_result_20260101000000.csv",
                "API name,Forward Test Success,Backward Test Success,Message\n"
                "Torch.div.0,error\n");  // a short row, as some tools write
  const Outcome outcome = msprobe(kCheck + "-o a --rerun-failed accuracy_checking_result_20260101000000.csv");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "msprobe: error: accuracy_checking_result_20260101000000.csv: names 1 API that " + kDump +
                             " does not have, one is Torch.div.0; give the dump.json that the file was made from\n");
}

TEST_F(SelectionTest, FailOnIsCodeOneFromThatStatusOn) {
  struct Case {
    const char *only, *status;
    int code;
  };
  int n = 0;
  for (const Case& c : {Case{"mul", "skip", 0}, Case{"linear", "error", 0}, Case{"linear", "warning", 1},
                        Case{"linear", "skip", 1}, Case{"layer_norm.0", "error", 1}})
    EXPECT_EQ(msprobe(kCheck + "-o " + std::to_string(n++) + " --only " + c.only + " --fail-on " + c.status).code,
              c.code)
        << c.only << " " << c.status;
}

TEST_F(SelectionTest, FailOnOfMergeSeesAllParts) {
  for (const char* part : {"0/2", "1/2"}) ASSERT_EQ(msprobe(kCheck + "-o out --shard " + part).code, 0);
  EXPECT_EQ(msprobe("merge out -o a").code, 0);
  EXPECT_EQ(msprobe("merge out -o b --fail-on error").code, 1);
  EXPECT_EQ(rows("b"), kAll);
}

TEST_F(SelectionTest, MaxErrorsStopsBehindTheNthError) {
  const Outcome one = msprobe(kCheck + "-o a --max-errors 1");
  EXPECT_EQ(one.code, 3);  // APIs are left
  EXPECT_EQ(rows("a"), (Names{"Torch.mul.0", "Functional.layer_norm.0"}));
  EXPECT_THAT(one.err, HasSubstr("stopped after 1 API with errors (--max-errors), 2 of 7 were checked\n"));
  EXPECT_THAT(one.err,
              EndsWith("msprobe: stopped by --max-errors; go on with\n  msprobe " + kCheckShown +
                       "-o a --max-errors 1 -csv_path " + result("a").substr(folder_.string().size() + 1) + "\n"));
  const Outcome two = msprobe(kCheck + "-o b --max-errors 2 --fail-on error");
  EXPECT_EQ(two.code, 3);
  EXPECT_EQ(rows("b"), Names(kAll.begin(), kAll.begin() + 5));
  EXPECT_THAT(two.err, HasSubstr("stopped after 2 APIs with errors (--max-errors), 5 of 7 were checked\n"));
  for (const char* many : {"0", "4"}) {  // 0: never
    const Outcome outcome = msprobe(kCheck + "-o m" + many + " --max-errors " + many);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(rows(std::string("m") + many), kAll);
    EXPECT_THAT(outcome.err, Not(HasSubstr("stopped")));
  }
  // What was left is done by going on, and options that are others then are told.
  const Outcome rest = msprobe(kCheck + "-save_error_data -csv_path '" + result("a") + "'");
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(rows("a"), kAll);
  EXPECT_THAT(rest.err, HasSubstr("with other options than it was begun with: save_data: none then, error now"));
  EXPECT_THAT(rest.err, HasSubstr("with other options than it was begun with: max_errors: 1 then, 0 now"));
}

// The last API may be the N-th error: then nothing is left.
TEST_F(SelectionTest, MaxErrorsThatIsReachedByTheLastApiIsAFinishedRun) {
  const Outcome outcome = msprobe(kCheck + "-o a --only 'mul|layer_norm.0' --max-errors 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("stopped")));
  EXPECT_EQ(rows("a").size(), 2u);
}

TEST_F(SelectionTest, RunsOfOneSecondHaveFoldersOfSavedTensorsOfTheirOwn) {
  // By the shell, side by side, into folders of their own.
  const Outcome all =
      msprobe("--version; for i in 0 1 2 3; do MSPROBE_CONFIG_DIR='" MSPROBE_CONFIG_DIR "' '" MSPROBE_PROGRAM "' " +
              kCheck + "-o s$i -save_error_data -q >log$i 2>&1 & done; wait;");
  std::set<std::string> timestamps;
  for (const char* run : {"s0", "s1", "s2", "s3"}) {
    ASSERT_TRUE(std::filesystem::exists(folder_ / run)) << all.err;
    EXPECT_EQ(rows(run), kAll);
    const std::string name = std::filesystem::path(result(run)).stem().string();
    const std::string timestamp = name.substr(name.size() - 14);
    timestamps.insert(timestamp);
    const auto folder = folder_ / ("ut_error_data" + timestamp);
    EXPECT_TRUE(std::filesystem::exists(folder / "Functional.linear.0.forward.input.0.pt")) << folder;
  }
  EXPECT_EQ(timestamps.size(), 4u);
}

TEST_F(SelectionTest, AFolderOfSavedTensorsInWhichNothingWasSavedDoesNotStay) {
  ASSERT_EQ(msprobe(kCheck + "-o a --only mul -save_error_data").code, 0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);  // a, stdout.txt, stderr.txt
}

TEST_F(SelectionTest, ARunThatGoesOnSavesIntoItsOwnFolder) {
  ASSERT_EQ(msprobe(kCheck + "-o a --max-errors 1 -save_error_data").code, 3);
  ASSERT_EQ(msprobe(kCheck + "-save_error_data -csv_path '" + result("a") + "'").code, 0);
  const std::filesystem::path saved = only_file(".", "ut_error_data");
  for (const std::string& api : kFailed)
    EXPECT_TRUE(std::filesystem::exists(saved / (api + ".forward.input.0.pt"))) << api;
}

// The tensors are lost, the verdicts are not.
TEST_F(SelectionTest, AFullDiskForSavedTensorsIsToldInTheRowsAndTheRunFinishes) {
  const std::string disk = (folder_ / "disk").string();
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "only root can mount a small disk: " << std::strerror(errno);
  folder_.write("config.yaml", "error_data_path: " + disk + "\nsave_data: all\n");
  std::ofstream(folder_ / "disk" / "filler") << std::string(1 << 20, 'x');  // as much as there is room for
  const Outcome outcome = msprobe(kCheck + "-o a -config config.yaml");
  size_t told = 0;
  for (const auto row : report::read_table(result("a"), {"Message"}).rows)
    told += std::string(row[3]).find("tensors not saved: ") != std::string::npos;
  umount(disk.c_str());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(told, kAll.size());
}

TEST_F(SelectionTest, TheSummaryHasACommandForEachFailureThatChecksItAlone) {
  const Outcome outcome = msprobe(kCheck + "-o a");
  const std::regex command("\n  msprobe (acc_check .*)");
  Names repeated;
  for (std::sregex_iterator it(outcome.out.begin(), outcome.out.end(), command), end; it != end; ++it) {
    const std::string folder = "alone" + std::to_string(repeated.size());
    ASSERT_EQ(msprobe((*it)[1].str() + " -o " + folder).code, 0) << (*it)[1];
    const Names alone = rows(folder);
    ASSERT_EQ(alone.size(), 1u) << (*it)[1];
    repeated.push_back(alone[0]);
  }
  Names failed = kFailed;
  std::sort(failed.begin(), failed.end());
  std::sort(repeated.begin(), repeated.end());
  EXPECT_EQ(repeated, failed);
}

TEST_F(SelectionTest, AFolderForADumpNamesTheDumpInIt) {
  std::filesystem::create_directories(folder_ / "step0/rank0");
  std::filesystem::create_directories(folder_ / "none");
  std::filesystem::copy_file(kDump, folder_ / "step0/rank0/dump.json");
  const std::string there = "is a folder, expected a dump.json; give ";
  for (const auto& [given, message] : std::vector<std::pair<std::string, std::string>>{
           {"step0/rank0", "step0/rank0: " + there + "step0/rank0/dump.json\n"},
           {"step0", "step0: " + there + "step0/rank0/dump.json\n"},
           {".", ".: " + there + "./step0/rank0/dump.json\n"},
           {"none", "none: " + there + "the dump.json of a step*/rank*/ folder\n"}}) {
    const Outcome outcome = msprobe("acc_check -api_info " + given + " --device_type cpu -o a");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "msprobe: error: " + message);
  }
  std::filesystem::create_directories(folder_ / "step0/rank1");
  std::filesystem::copy_file(kDump, folder_ / "step0/rank1/dump.json");
  EXPECT_THAT(msprobe("acc_check -api_info step0").err,
              EndsWith("there are 2 in it, the first is step0/rank0/dump.json\n"));
}

TEST_F(SelectionTest, AnIndexWithoutASizeIsSaid) {
  const Outcome outcome = msprobe(kCheck + "-o a", "JOB_COMPLETION_INDEX=3");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(rows("a"), kAll);
  EXPECT_THAT(outcome.err,
              HasSubstr("warning: JOB_COMPLETION_INDEX is 3, but JOB_COMPLETIONS is not set: this process "
                        "checks the whole dump; set it to the number of processes, or give --shard 3/N\n"));
}

TEST_F(SelectionTest, TheLogIsAsPrivateAsTheResults) {
  ASSERT_EQ(msprobe(kCheck + "-o a --only mul").code, 0);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "a")) {
    struct stat status {};
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640u) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 3u);
}

TEST_F(SelectionTest, GoingOnFromACopyIsSaid) {
  ASSERT_EQ(msprobe(kCheck + "-o a --max-errors 1").code, 3);
  const std::string kept = result("a");
  // A copy has no extended attributes: the last row may not be whole, and the options are not known.
  std::filesystem::create_directory(folder_ / "b");
  for (const char* kind : {"accuracy_checking_result_", "accuracy_checking_details_"}) {
    const std::filesystem::path from = only_file("a", kind);
    support::write(folder_ / "b" / from.filename(), content(from));
  }
  const Outcome outcome = msprobe(kCheck + "-csv_path '" + result("b") + "'");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("the rows of 1 API are made again, from Functional.layer_norm.0 on\n"));
  EXPECT_THAT(outcome.err, HasSubstr("the options of the interrupted run are lost (was the file copied?)"));
  EXPECT_EQ(rows("b"), kAll);
  EXPECT_THAT(msprobe(kCheck + "-csv_path '" + kept + "'").err, Not(HasSubstr("not known")));
}

TEST_F(SelectionTest, AnEmptyConfigJsonIsAnErrorAndAnEmptyObjectIsNot) {
  folder_.write("empty.json", "");
  folder_.write("object.json", "{}");
  const Outcome outcome = msprobe(kCheck + "-config empty.json -o a");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "msprobe: error: empty.json: is empty, expected JSON; write {} where every setting is to be as "
            "it is by default\n");
  EXPECT_EQ(msprobe(kCheck + "-config object.json -o b --only mul").code, 0);
}

}  // namespace
}  // namespace msprobe::cli
