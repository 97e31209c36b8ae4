// The program where its surroundings are not as they should be: closed descriptors, full disks, files that go away,
// variables that are empty, dumps that hold what moves a terminal's cursor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"

namespace msprobe::cli {
namespace {

namespace fs = std::filesystem;
using support::content;
using support::Outcome;
using support::ProgramFixture;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kDemo = MSPROBE_TEST_DATA "/demo/step0/rank0/dump.json";
const std::string kCheckDemo = "acc_check -api_info '" + kDemo + "' --device_type cpu ";

/// One API of a dump: `key` as it stands in JSON, two elements in and out.
std::string call(const std::string& key) {
  const std::string tensor =
      R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.5, "requires_grad": false})";
  return "\"" + key + R"(.forward": {"input_args": [)" + tensor + R"(], "input_kwargs": {}, "output": [)" + tensor +
         "]}";
}

std::string dump_of(const std::string& entries, const std::string& head = "") {
  return R"({"task": "statistics", "level": "L1", "framework": "pytorch", )" + head +
         R"("dump_data_dir": null, "data": {)" + entries + "}}";
}

class HardUseTest : public ProgramFixture {
 protected:
  /// As msprobe(), with `behind` after its redirections: they may close what these opened.
  Outcome redirected(const std::string& arguments, const std::string& behind) {
    return support::run_program(folder_, arguments, "", behind);
  }
  /// Under a limit of the size of files; what is printed goes through pipes, which have none.
  Outcome limited(const std::string& arguments) {
    const std::string command =
        "cd '" + folder_.string() +
        "' && { ( ulimit -f 0; MSPROBE_CONFIG_DIR='" MSPROBE_CONFIG_DIR "' '" MSPROBE_PROGRAM "' " + arguments +
        "; echo $? >&3 ) 3>&1 >/dev/null 2>&4 | cat >code.txt; } 4>&1 | cat >stderr.txt";
    if (support::shell(command) != 0) return {};
    return {std::atoi(content(folder_ / "code.txt").c_str()), "", content(folder_ / "stderr.txt")};
  }
  std::vector<std::string> csv_files(const std::string& folder) const {
    std::vector<std::string> names;
    if (!fs::exists(folder_ / folder)) return names;
    for (const auto& entry : fs::directory_iterator(folder_ / folder))
      if (entry.path().extension() != ".log") names.push_back(entry.path().filename().string());
    return names;
  }
};

TEST_F(HardUseTest, ClosedStandardDescriptorsChangeNoByte) {
  ASSERT_EQ(msprobe(kCheckDemo + "-o one").code, 0);
  const std::string result = content(only_file("one", "accuracy_checking_result_"));
  const std::string details = content(only_file("one", "accuracy_checking_details_"));
  for (int closed = 1; closed < 8; ++closed) {
    const std::string behind =
        std::string(closed & 1 ? "<&- " : "") + (closed & 2 ? ">&- " : "") + (closed & 4 ? "2>&- " : "");
    SCOPED_TRACE(behind);
    const std::string out = "out" + std::to_string(closed);
    EXPECT_EQ(redirected(kCheckDemo + "-o " + out, behind).code, 0);
    EXPECT_EQ(content(only_file(out, "accuracy_checking_result_")), result);
    EXPECT_EQ(content(only_file(out, "accuracy_checking_details_")), details);
  }
}

TEST_F(HardUseTest, WhatCannotBePrintedIsCodeThree) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  for (const std::string& arguments :
       {kCheckDemo + "--list", std::string("apis"), std::string("acc_check --show-config"), std::string("acc_check -h"),
        std::string("--version"), std::string("--generate man")}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = redirected(arguments, ">/dev/full");
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.err, StartsWith("msprobe: error: stdout: "));
  }
}

TEST_F(HardUseTest, AReaderThatHasSeenEnoughIsNoFault) {
  const Outcome outcome = redirected("acc_check -h", "| head -1");  // printed at once, before the reader goes
  EXPECT_EQ(outcome.err, "");
}

TEST_F(HardUseTest, AFileThatMayNotGrowIsCodeThreeAndLeavesNothing) {
  const Outcome run = limited(kCheckDemo + "-o out");
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("cannot be written: File too large"), HasSubstr("allow larger files (ulimit -f)")));
  EXPECT_TRUE(csv_files("out").empty());

  for (const char* part : {"0/2", "1/2"}) ASSERT_EQ(msprobe(kCheckDemo + "-o parts --shard " + part).code, 0);
  const Outcome merged = limited("merge parts -o joined");
  EXPECT_EQ(merged.code, 3);
  EXPECT_THAT(merged.err, AllOf(HasSubstr("cannot be written: File too large"), Not(HasSubstr("-csv_path"))));
  EXPECT_TRUE(csv_files("joined").empty());

  const std::string details = only_file("parts/shard_0_of_2", "accuracy_checking_details_").string();
  const std::string gpu = (folder_ / "gpu.csv").string();
  fs::copy_file(details, gpu);
  const Outcome compared = limited("api_precision_compare -npu '" + details + "' -gpu '" + gpu + "' -o compared");
  EXPECT_EQ(compared.code, 3);
  EXPECT_THAT(compared.err, HasSubstr("cannot be written: File too large; allow larger files (ulimit -f)"));
  EXPECT_TRUE(csv_files("compared").empty());
}

TEST_F(HardUseTest, ResultFilesThatAreDeletedMeanwhileAreMissed) {
  folder_.write("thief.sh",
                "cd '" + folder_.string() +
                    "' && while ! rm out/accuracy_checking_result_*.csv 2>/dev/null; do sleep 0.01; done\n");
  const Outcome outcome = redirected(kCheckDemo + "-o out", "& sh '" + folder_.string() + "/thief.sh'; wait $!");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("was deleted or replaced while this run wrote it"),
                                 HasSubstr("its files are gone: start again"), Not(HasSubstr("go on with"))));
}

TEST_F(HardUseTest, AnEmptyVariableDoesNotStartAnotherRun) {
  const Outcome outcome = msprobe(kCheckDemo + "-o out -csv_path \"$NOT_SET_ANYWHERE\"");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(
      outcome.err,
      "msprobe: error: -csv_path needs CSV, found an empty text (an unset shell variable?); give a value, or leave it "
      "out\n");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(HardUseTest, ExpressionsThatWouldHangOrCrashEnd) {
  std::string open(30000, '(');
  const Outcome deep = msprobe(kCheckDemo + "--list --only '" + open + "'");
  EXPECT_EQ(deep.code, 2);
  EXPECT_THAT(deep.err, HasSubstr("has 30000 characters, at most 1000 can be taken"));
  folder_.write("d.json", dump_of(call("Torch." + std::string(2000, 'a') + ".0") + "," + call("Torch.abs.0")));
  const Outcome slow = msprobe("acc_check -api_info d.json --device_type cpu --list --except '(a+)+$'");
  EXPECT_EQ(slow.code, 0) << slow.err;
  EXPECT_THAT(slow.out, EndsWith("2 APIs: 1 would be run, 1 skipped\n"));
}

TEST_F(HardUseTest, PartsOfTwoSeedsAreNotJoined) {
  ASSERT_EQ(msprobe(kCheckDemo + "-o out --shard 0/2").code, 0);
  ASSERT_EQ(msprobe(kCheckDemo + "-o out --shard 1/2 --seed 5").code, 0);
  const Outcome outcome = msprobe("merge out -o joined");
  if (outcome.err.find("are not known") != std::string::npos)
    GTEST_SKIP() << "this file system keeps no extended attributes";
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(": seed is 5, there it is 1234; give the parts of one run"));
  EXPECT_TRUE(csv_files("joined").empty());
}

TEST_F(HardUseTest, ARunGoesOnWithItsOwnSeedAlone) {
  ASSERT_EQ(msprobe(kCheckDemo + "-o out").code, 0);
  const fs::path result = only_file("out", "accuracy_checking_result_");
  fs::resize_file(result, fs::file_size(result) / 2);
  const std::string before = content(result);
  const Outcome outcome = msprobe(kCheckDemo + "--seed 7 -csv_path '" + result.string() + "'");
  if (outcome.err.find("are not known") != std::string::npos)
    GTEST_SKIP() << "this file system keeps no extended attributes";
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("was begun with other options, so that its rows and new ones do not go together: seed: "
                        "1234 then, 7 now; give the options that it was begun with, or start anew"));
  EXPECT_EQ(content(result), before);
  EXPECT_EQ(msprobe(kCheckDemo + "--timeout 300 -csv_path '" + result.string() + "'").code, 0);
}

TEST_F(HardUseTest, ARunThatWentOnWithMoreApisCanBeMerged) {
  // The first rows of the demo, then the rest of it.
  ASSERT_EQ(msprobe(kCheckDemo + "-o out --only '__add__|__le__|where'").code, 0);
  const fs::path result = only_file("out", "accuracy_checking_result_");
  ASSERT_EQ(msprobe(kCheckDemo + "-csv_path '" + result.string() + "'").code, 0);
  const Outcome outcome = msprobe("merge '" + result.string() + "' -o joined");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("15 APIs\n"));
}

TEST_F(HardUseTest, RerunFailedSaysThatNothingFailed) {
  ASSERT_EQ(msprobe(kCheckDemo + "-o out").code, 0);
  const std::string result = only_file("out", "accuracy_checking_result_").string();
  const Outcome outcome = msprobe(kCheckDemo + "-o again --fail-on error --rerun-failed '" + result + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            result + ": no API has error or warning there, and none was cut short: nothing is left to check again\n");
  EXPECT_FALSE(fs::exists(folder_ / "again"));
}

TEST_F(HardUseTest, DumpsOfAnotherFrameworkAreRefusedAndUnknownKindsTold) {
  folder_.write("m.json", R"({"task": "statistics", "framework": "mindspore", "data": {}})");
  const Outcome other = msprobe("acc_check -api_info m.json --device_type cpu -o out");
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.err,
            "msprobe: error: m.json: framework: is \"mindspore\", only dumps of PyTorch can be checked; give the "
            "dump.json of "
            "a PyTorch program\n");
  folder_.write("t.json", R"({"task": "overflow", "level": "L0", "data": {)" + call("Torch.abs.0") + "}}");
  const Outcome kinds = msprobe("acc_check -api_info t.json --device_type cpu --list");
  EXPECT_EQ(kinds.code, 0);
  EXPECT_THAT(kinds.err, AllOf(HasSubstr("t.json: task is \"overflow\", expected statistics or tensor"),
                               HasSubstr("t.json: level is \"L0\", expected L1 or mix")));
}

TEST_F(HardUseTest, ControlCharactersOfADumpReachNeitherTerminalNorLog) {
  // A name, a dtype and a backward entry of nobody, all with what clears a screen.
  std::string text = dump_of(call("Torch.\\u001b[2Jabs.0") + "," + call("Torch.abs.1") + "," + call("Torch.abs.2") +
                             R"(,"Torch.\u001b[2Jnobody.0.backward": {"input": [], "output": []})");
  const std::string dtype = "torch.float32";
  text.replace(text.find(dtype, text.find("abs.2")), dtype.size(), "torch.\\u001b[2J");
  folder_.write("d.json", text);
  const Outcome list = msprobe("acc_check -api_info d.json --device_type cpu --list");
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, HasSubstr("Torch.\\x1b[2Jabs.0"));
  const Outcome run = msprobe("acc_check -api_info d.json --device_type cpu -o out");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("1 backward entry has no forward entry and is left out, the first is Torch.\\x1b[2Jnobody.0"));
  for (const std::string& shown :
       {list.out, list.err, run.out, run.err, content(only_file("out", "accuracy_checking_2")),
        content(only_file("out", "accuracy_checking_result_"))})
    EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
}

TEST_F(HardUseTest, AMessageDoesNotEndAtANul) {
  const std::string tensor =
      R"({"type": "torch.Tensor", "dtype": "torch.\u0000x", "shape": [2], "requires_grad": false})";
  folder_.write("d.json", dump_of(R"("Torch.abs.0.forward": {"input_args": [)" + tensor + R"(], "input_kwargs": {}})"));
  ASSERT_EQ(msprobe("acc_check -api_info d.json --device_type cpu -o out").code, 0);
  EXPECT_THAT(content(only_file("out", "accuracy_checking_result_")), HasSubstr("torch.\\x00x"));
}

TEST_F(HardUseTest, ABackwardEntryThatCannotBeReadLeavesTheForwardCall) {
  for (const char* entry : {"null", "[]", R"({"input": [], "input": []})"}) {
    SCOPED_TRACE(entry);
    folder_.write("d.json", dump_of(call("Torch.abs.0") + ",\"Torch.abs.0.backward\": " + entry));
    fs::remove_all(folder_ / "out");
    ASSERT_EQ(msprobe("acc_check -api_info d.json --device_type cpu -o out").code, 0);
    const std::string result = content(only_file("out", "accuracy_checking_result_"));
    EXPECT_THAT(result, HasSubstr("\r\nTorch.abs.0,pass,SKIP,"));
    EXPECT_THAT(result, HasSubstr("backward not run: d.json: data.\"\"Torch.abs.0.backward\"\""));
  }
}

TEST_F(HardUseTest, AFileThatTheConfigurationNamesWrongIsFoundThere) {
  folder_.write("c.json", "{\n  \"precision_standard\": \"/nope.yaml\"\n}");
  EXPECT_EQ(
      msprobe(kCheckDemo + "-config c.json -o out").err,
      "msprobe: error: c.json:2: precision_standard: /nope.yaml cannot be opened: No such file or directory; check the "
      "path\n");
  folder_.write("c.json", "{\n  \"fused_operators\": \"/nope.yaml\"\n}");
  EXPECT_EQ(
      msprobe(kCheckDemo + "-config c.json -o out").err,
      "msprobe: error: c.json:2: fused_operators: /nope.yaml cannot be opened: No such file or directory; check the "
      "path\n");
}

TEST_F(HardUseTest, ATildeThatNoShellSawIsTheUsersFolder) {
  folder_.write("c.json", R"({"error_data_path": "~/kept", "save_data": "all"})");
  const Outcome outcome =
      msprobe(kCheckDemo + "-config c.json --out_path=~/out --only where", "HOME='" + folder_.string() + "/home'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(fs::exists(folder_ / "~"));
  EXPECT_EQ(csv_files("home/out").size(), 2u);
  EXPECT_TRUE(fs::exists(folder_ / "home/kept"));
}

}  // namespace
}  // namespace msprobe::cli
