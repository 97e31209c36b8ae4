// What a run of the program itself survives, with LibTorch, on processors that others use too: kills, signals at any
// time, a reader of stdout that goes away, a second run. MSPROBE_KILLS=200 makes it as long as before a release;
// MSPROBE_TEST_PROGRAM names another program than the one beside it, an installed one for example.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "reliability/harness.h"

namespace {

using namespace msprobe::reliability;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr long kKills = 8;
constexpr int kRepeats = 10;  // of five APIs

const char* program() {
  const char* named = getenv("MSPROBE_TEST_PROGRAM");
  return named != nullptr ? named : MSPROBE_PROGRAM;
}

std::string tensor(const std::string& shape, const char* dtype = "torch.float32") {
  return std::string(R"({"type": "torch.Tensor", "dtype": ")") + dtype + R"(", "shape": )" + shape +
         R"(, "Max": 1.0, "Min": -1.0, "requires_grad": true})";
}

std::string entry(const std::string& api, const std::string& inputs, const std::string& output, bool backward) {
  std::string text =
      "\"" + api + R"(.forward": {"input_args": [)" + inputs + R"(], "input_kwargs": {}, "output": [)" + output + "]}";
  if (backward)
    text += ",\n\"" + api + R"(.backward": {"input": [)" + output + R"(], "output": [)" + tensor("[256, 256]") + "]}";
  return text;
}

// Takes a second or so: APIs of milliseconds, and some that are over at once.
std::string dump_json() {
  const std::string large = tensor("[256, 256]"), small = tensor("[4, 4]"),
                    half = tensor("[256, 256]", "torch.bfloat16");
  std::string data;
  for (int i = 0; i < kRepeats; ++i) {
    const std::string n = "." + std::to_string(i);
    for (const std::string& text :
         {entry("Torch.matmul" + n, large + ", " + large, large, true),
          entry("Torch.mul" + n, small + ", " + small, small, false), entry("Functional.gelu" + n, large, large, true),
          entry("Torch.add" + n, small + ", " + small, small, false),
          entry("Functional.linear" + n, half + ", " + tensor("[256, 256]", "torch.bfloat16"), half, false)})
      data += (data.empty() ? "" : ",\n") + text;
  }
  return R"({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": null, "data": {)" + data +
         "}}";
}

std::vector<fs::path> files_of(const std::string& folder, const std::string& kind) {
  std::vector<fs::path> found;
  if (fs::is_directory(folder))
    for (const auto& file : fs::directory_iterator(folder))
      if (file.path().filename().string().starts_with("accuracy_checking_" + kind + "_")) found.push_back(file.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<long> children(pid_t pid) {
  return numbers("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
}

// Others who want the processors, as long as it lives.
class Load {
 public:
  Load() {
    for (long& pid : pids_) {
      pid = fork();
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        volatile bool forever = true;
        while (forever) {
        }
      }
    }
  }
  ~Load() {
    for (long pid : pids_) kill(static_cast<pid_t>(pid), SIGKILL);
    for (long pid : pids_) waitpid(static_cast<pid_t>(pid), nullptr, 0);
  }

 private:
  long pids_[3] = {};
};

class SurvivalTest : public RunFixture {
 protected:
  void SetUp() override {
    RunFixture::SetUp();
    std::ofstream(out("dump.json")) << dump_json();
  }
  Strings command(const std::string& folder, const Strings& more = {}) const {
    Strings all{program(), subcommand_, "-api_info", out("dump.json"), "--device_type", "cpu", "--threads", "1", "-q"};
    all.insert(all.end(), more.begin(), more.end());
    const auto result = files_of(folder, "result");
    all.push_back(result.empty() ? "-o" : "-csv_path");
    all.push_back(result.empty() ? folder : result[0].string());
    return all;
  }
  std::unique_ptr<Process> start(const std::string& folder, const Strings& more = {}) const {
    return std::make_unique<Process>(command(folder, more), error_path(), Strings{}, /*silent=*/true);
  }
  void kill_anywhere(const Strings& more, long asked);
  // Seconds that the run takes which the others are compared with.
  double make_reference() {
    const auto begin = Clock::now();
    EXPECT_EQ(start(out("reference"))->wait(), 0) << error();
    const double seconds = seconds_since(begin);
    const std::string result = read(files_of(out("reference"), "result").at(0));
    EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), 1 + 5 * kRepeats);
    EXPECT_THAT(result, Not(HasSubstr("SKIP")));
    return seconds;
  }
  void expect_reference(const std::string& folder) {
    for (const char* kind : {"result", "details"}) {
      const auto files = files_of(folder, kind);
      ASSERT_EQ(files.size(), 1u) << folder;
      ASSERT_EQ(read(files[0]), read(files_of(out("reference"), kind).at(0))) << files[0];
    }
  }
  // Waits until rows are being written.
  void await_rows(const std::string& folder) {
    const auto until = Clock::now() + std::chrono::seconds(60);
    while (Clock::now() < until) {
      const auto files = files_of(folder, "result");
      if (!files.empty() && fs::file_size(files[0]) > 100) return;
      sleep_seconds(0.005);
    }
    FAIL() << "no rows: " << error();
  }
  // A run that stands still, with most rows still to come. Others take the processors when they like, so that one may
  // have got further before it was stopped: then another is started.
  std::unique_ptr<Process> stopped_early(const std::string& folder, const Strings& more = {}) {
    constexpr int kTries = 20;
    for (int i = 0; i < kTries; ++i) {
      fs::remove_all(folder);
      auto process = start(folder, more);
      await_rows(folder);
      kill(-process->pid(), SIGSTOP);
      int status = 0;
      const bool stopped = waitpid(process->pid(), &status, WUNTRACED) == process->pid() && WIFSTOPPED(status);
      const std::string rows = read(files_of(folder, "result").at(0));
      if (stopped && std::count(rows.begin(), rows.end(), '\n') <= 5 * kRepeats / 2) return process;
      kill(-process->pid(), SIGKILL);
      if (stopped) process->wait();
    }
    ADD_FAILURE() << "every run was over too soon";
    return nullptr;
  }

  std::string subcommand_ = "acc_check";
};

void SurvivalTest::kill_anywhere(const Strings& more, long asked) {
  Load load;
  const double whole = make_reference();
  std::mt19937 random(20260303);
  long kills = 0, runs = 0;
  while (kills < asked) {
    const std::string folder = out("run" + std::to_string(runs++));
    for (int status = -1, starts = 0; status != 0; ++starts) {
      ASSERT_LT(starts, 200);
      const auto process = start(folder, more);
      // Every fourth start may come to its end, or a slow machine would never see one.
      sleep_seconds(std::uniform_real_distribution<>(0, starts % 4 == 3 ? 2 * whole : 1.1 * whole)(random));
      const auto workers = children(process->pid());
      const int kind = static_cast<int>(kills % 7);  // five times everything, once the worker, once the supervisor
      if (kind < 5)
        kill(-process->pid(), SIGKILL);
      else if (kind == 5 && !workers.empty())
        kill(static_cast<pid_t>(workers.back()), SIGKILL);
      else
        kill(process->pid(), SIGKILL);
      ++kills;
      status = process->wait();
      ASSERT_TRUE(status == 0 || status == 1000 + SIGKILL) << status << error();
      const auto until = Clock::now() + std::chrono::seconds(5);
      for (long pid : workers)
        while (alive(static_cast<pid_t>(pid)) && Clock::now() < until) sleep_seconds(0.001);
      for (long pid : workers) ASSERT_FALSE(alive(static_cast<pid_t>(pid))) << "orphan " << pid;
    }
    expect_reference(folder);
    if (HasFatalFailure()) return;
  }
  RecordProperty("kills", static_cast<int>(kills));
  RecordProperty("runs", static_cast<int>(runs));
}

TEST_F(SurvivalTest, KilledAnywhereUnderLoadARunGoesOnToTheSameBytes) {
  kill_anywhere({}, kills_asked(kKills));
}

TEST_F(SurvivalTest, KilledWithSeveralWorkersItGoesOnToTheSameBytes) {
  subcommand_ = "multi_acc_check";
  kill_anywhere({"-n", "3"}, kills_asked(kKills));
}

// What a killed worker was writing is gone; what an API saved is there whole.
TEST_F(SurvivalTest, NoUnfinishedTensorIsLeftBehind) {
  const Strings saving{"-config", out("saving.yaml")};
  std::ofstream(out("saving.yaml")) << "save_data: all\nerror_data_path: " << out("") << "\n";
  const auto saved = [&] {
    std::vector<std::string> names;
    for (const auto& folder : fs::directory_iterator(out("")))
      if (folder.path().filename().string().starts_with("ut_error_data"))
        for (const auto& file : fs::directory_iterator(folder)) names.push_back(file.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  };
  ASSERT_EQ(start(out("reference"), saving)->wait(), 0) << error();
  const auto expected = saved();
  ASSERT_GE(expected.size(), 5u * kRepeats);
  for (int run = 0; run < 4; ++run) {
    for (const auto& folder : fs::directory_iterator(out("")))
      if (folder.path().filename().string().starts_with("ut_error_data")) fs::remove_all(folder.path());
    const std::string folder = out("run" + std::to_string(run));
    const auto process = start(folder, saving);
    await_rows(folder);
    sleep_seconds(0.05 * run);
    for (long worker : children(process->pid())) kill(static_cast<pid_t>(worker), SIGKILL);
    ASSERT_EQ(process->wait(), 0) << error();
    EXPECT_EQ(saved(), expected) << run;
  }
}

// From the first moment to the last: nothing was run, or the files go on and it is said how, or all was done.
TEST_F(SurvivalTest, AskedAtAnyTimeARunEndsInOrder) {
  const double whole = make_reference();
  constexpr int kTimes = 10;
  for (int i = 0; i < kTimes; ++i) {
    SCOPED_TRACE(i);
    const std::string folder = out("run" + std::to_string(i));
    const auto process = start(folder);
    sleep_seconds(1.05 * whole * i / kTimes);
    kill(-process->pid(), i % 2 == 0 ? SIGTERM : SIGINT);
    const int status = process->wait();
    if (status == 130) {
      EXPECT_THAT(error(), HasSubstr("msprobe: interrupted"));
      if (!files_of(folder, "result").empty()) {
        EXPECT_THAT(error(), HasSubstr("-csv_path " + files_of(folder, "result")[0].string() + "\n"));
      }
    } else if (status != 0) {  // before main: libraries were being loaded
      EXPECT_THAT(status, AnyOf(1000 + SIGTERM, 1000 + SIGINT));
      EXPECT_TRUE(files_of(folder, "result").empty()) << error();
    }
    if (status != 0) {
      EXPECT_EQ(start(folder)->wait(), 0) << error();
    }
    expect_reference(folder);
    if (HasFailure()) return;
  }
}

TEST_F(SurvivalTest, AReaderOfStdoutThatGoesAwayDoesNoDamage) {
  make_reference();
  std::string line = "set -o pipefail;";
  for (const auto& word : command(out("run"), {"-v"})) line += " '" + word + "'";
  EXPECT_EQ(Process({"/bin/bash", "-c", line + " | true"}, error_path()).wait(), 0) << error();
  expect_reference(out("run"));
}

TEST_F(SurvivalTest, StoppedByCtrlZNoTimeoutRuns) {
  make_reference();
  const auto process = start(out("run"), {"--timeout", "1"});
  await_rows(out("run"));
  kill(-process->pid(), SIGTSTP);
  int status = 0;
  ASSERT_EQ(waitpid(process->pid(), &status, WUNTRACED), process->pid());
  ASSERT_TRUE(WIFSTOPPED(status));
  sleep_seconds(2.5);
  kill(-process->pid(), SIGCONT);
  EXPECT_EQ(process->wait(), 0) << error();
  expect_reference(out("run"));
}

TEST_F(SurvivalTest, AFileThatIsBeingWrittenIsNotResumed) {
  make_reference();
  const std::string folder = out("run");
  const auto process = start(folder);
  await_rows(folder);
  kill(-process->pid(), SIGSTOP);
  const std::string result = files_of(folder, "result").at(0).string(), before = read(result);
  const std::string message = out("second.txt");
  EXPECT_EQ(Process(command(folder), message, {}, true).wait(), 2);
  EXPECT_EQ(read(message), "msprobe: error: " + result + ": process " + std::to_string(process->pid()) +
                               " (msprobe) is still writing it; wait until it has ended, or end it\n");
  EXPECT_EQ(read(result), before);
  kill(-process->pid(), SIGCONT);
  EXPECT_EQ(process->wait(), 0);
  expect_reference(folder);
}

TEST_F(SurvivalTest, AResultThatIsCutMeanwhileEndsTheRunWhichGoesOnToTheSameBytes) {
  make_reference();
  for (const std::string& kind : {std::string("result"), std::string("details")}) {
    const std::string folder = out("cut_" + kind);
    const auto process = stopped_early(folder);
    ASSERT_NE(process, nullptr);
    const std::string path = files_of(folder, kind).at(0).string();
    fs::resize_file(path, 10);
    kill(-process->pid(), SIGCONT);
    EXPECT_EQ(process->wait(), 3);
    EXPECT_EQ(fs::file_size(path), 10u);
    EXPECT_THAT(error(), HasSubstr(path + ": holds 10 bytes, this run wrote "));
    EXPECT_THAT(error(), HasSubstr("msprobe: the run could not finish; go on with\n"));
    ASSERT_EQ(start(folder)->wait(), 0) << error();
    expect_reference(folder);
  }
}

// What is left of it would make a SKIP of every API that is left.
TEST_F(SurvivalTest, ADumpThatIsCutMeanwhileEndsTheRunWhichGoesOnWithTheWholeOne) {
  make_reference();
  const std::string folder = out("run"), dump = out("dump.json");
  for (const Strings& more : {Strings{}, Strings{"-n", "2"}}) {
    subcommand_ = more.empty() ? "acc_check" : "multi_acc_check";
    const auto process = stopped_early(folder, more);
    ASSERT_NE(process, nullptr);
    fs::resize_file(dump, 10);
    kill(-process->pid(), SIGCONT);
    EXPECT_EQ(process->wait(), 3);
    EXPECT_THAT(error(), HasSubstr(dump + ": was changed while it was being read; start again when nothing"));
    EXPECT_THAT(read(files_of(folder, "result").at(0)), Not(HasSubstr("SKIP")));
    std::ofstream(dump) << dump_json();
    ASSERT_EQ(start(folder)->wait(), 0) << error();
    expect_reference(folder);
  }
}

TEST_F(SurvivalTest, TwoRunsIntoOneFolderWriteFilesOfTheirOwn) {
  make_reference();
  const Strings line = command(out("run"));
  Process one(line, error_path(), {}, true), other(line, out("second.txt"), {}, true);
  EXPECT_EQ(one.wait(), 0) << error();
  EXPECT_EQ(other.wait(), 0) << read(out("second.txt"));
  for (const char* kind : {"result", "details"}) {
    const auto files = files_of(out("run"), kind);
    ASSERT_EQ(files.size(), 2u);
    for (const auto& file : files) EXPECT_EQ(read(file), read(files_of(out("reference"), kind).at(0))) << file;
  }
}

}  // namespace
