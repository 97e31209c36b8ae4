// What a run survives: kills, faults of the system, a full disk, APIs that crash, hang and fill memory, signals. Each
// test starts fake_run (the real pool and the real files) and compares bytes with a run that nothing happened to.
// MSPROBE_KILLS=700 makes the kill tests as long as before a release; the default suits CI.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "reliability/harness.h"

namespace {

using namespace msprobe::reliability;

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kResult = "accuracy_checking_result_20260102030405.csv";
constexpr const char* kDetails = "accuracy_checking_details_20260102030405.csv";
constexpr long kKills = 60;

class ReliabilityTest : public RunFixture {
 protected:
  Strings command(const std::string& target, const Strings& options) const {
    Strings all{MSPROBE_FAKE_RUN, target};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
  int run(const std::string& target, const Strings& options, const Strings& environment = {}) {
    return Process(command(target, options), error_path(), environment).wait();
  }
  // A folder, or the result file in it when there is one to go on with.
  std::string target(const std::string& folder) const {
    const std::string result = folder + "/" + kResult;
    return fs::exists(result) ? result : folder;
  }
  void expect_same(const std::string& a, const std::string& b) {
    for (const char* name : {kResult, kDetails}) {
      const std::string one = read(a + "/" + name), other = read(b + "/" + name);
      if (one == other) continue;
      const auto at = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin();
      ADD_FAILURE() << a << " and " << b << " differ in byte " << at << " of " << name << " (" << one.size() << " and "
                    << other.size() << " bytes)\n";
    }
  }
};

// Without extended attributes (tmpfs of old kernels) the last row is not known to be whole, and is made again.
bool keeps_attributes(const std::string& folder) {
  return ::setxattr((folder + "/" + kResult).c_str(), "user.msprobe.test", "x", 1, 0) == 0;
}

// APIs of a millisecond, and such as are done faster than a process is woken.
struct Speed {
  const char *name, *count, *micros;
  double longest;  // seconds to a kill
};

class KillTest : public ReliabilityTest, public testing::WithParamInterface<Speed> {};

TEST_P(KillTest, KilledAnywhereARunGoesOnToTheSameBytesAndAKillRepeatsOneApiAtMost) {
  const Strings options{"count=" + std::string(GetParam().count), "micros=" + std::string(GetParam().micros)};
  ASSERT_EQ(run(out("reference"), options), 0);
  std::mt19937 random(20260102);
  long kills = 0, runs = 0, repeats = 0;
  while (kills < kills_asked(kKills)) {
    const std::string folder = out("run" + std::to_string(runs++)), log = folder + ".log", pids = folder + ".pids";
    Strings all = options;
    all.insert(all.end(), {"log=" + log, "pids=" + pids});
    long kills_here = 0;
    int status = -1;
    while (status != 0) {
      ASSERT_LT(kills_here, 1000);
      Process process(command(target(folder), all), error_path());
      sleep_seconds(std::uniform_real_distribution<>(0, GetParam().longest)(random));
      const int kind = static_cast<int>(kills % 7);  // five times everything, once the worker, once the supervisor
      const auto workers = numbers(pids);
      if (kind < 5)
        kill(-process.pid(), SIGKILL);
      else if (kind == 5 && !workers.empty())
        kill(static_cast<pid_t>(workers.back()), SIGKILL);
      else
        kill(process.pid(), SIGKILL);
      ++kills;
      ++kills_here;
      status = process.wait();
      ASSERT_TRUE(status == 0 || status == 1000 + SIGKILL) << status << error();
      // Nobody is left working, at once and always.
      const auto until = Clock::now() + std::chrono::seconds(2);
      for (long pid : numbers(pids))
        while (alive(static_cast<pid_t>(pid)) && Clock::now() < until) sleep_seconds(0.001);
      for (long pid : numbers(pids)) ASSERT_FALSE(alive(static_cast<pid_t>(pid))) << "orphan " << pid;
    }
    expect_same(folder, out("reference"));
    // One worker begins one API after the other. Where the log steps back, a kill has repeated what was finished
    // without a row, and the API at hand.
    long last = -1, repeats_here = 0;
    for (long i : numbers(log)) {
      if (i != last + 1) {
        ++repeats_here;
        EXPECT_LE(last - i + 1, keeps_attributes(out("reference")) ? 1 : 2) << "APIs repeated by a kill, from " << i;
      }
      last = i;
    }
    EXPECT_EQ(last + 1, std::stol(GetParam().count));
    EXPECT_LE(repeats_here, kills_here);
    repeats += repeats_here;
    if (HasFailure()) return;
  }
  EXPECT_GT(repeats, 0);  // the kills came while APIs ran
  RecordProperty("kills", static_cast<int>(kills));
}

INSTANTIATE_TEST_SUITE_P(Speeds, KillTest,
                         testing::Values(Speed{"OfAMillisecond", "200", "1000", 0.25},
                                         Speed{"OfFiftyMicroseconds", "2000", "50", 0.2}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(ReliabilityTest, KilledWithSeveralWorkersARunGoesOnToTheSameBytes) {
  const Strings options{"count=200", "micros=1000", "workers=4", "shuffle=1"};
  ASSERT_EQ(run(out("reference"), {"count=200", "micros=0"}), 0);
  std::mt19937 random(7);
  for (long kills = 0; kills < kills_asked(kKills) / 3;) {
    const std::string folder = out("run" + std::to_string(kills));
    for (int status = -1; status != 0; ++kills) {
      Process process(command(target(folder), options), error_path());
      sleep_seconds(std::uniform_real_distribution<>(0, 0.3)(random));
      kill(-process.pid(), SIGKILL);
      status = process.wait();
      ASSERT_TRUE(status == 0 || status == 1000 + SIGKILL) << status << error();
    }
    expect_same(folder, out("reference"));
    if (HasFailure()) return;
  }
}

TEST_F(ReliabilityTest, RowsAreTheSameWhateverTheNumberOfWorkers) {
  ASSERT_EQ(run(out("reference"), {"count=500", "micros=0"}), 0);
  for (const char* workers : {"2", "8", "64"}) {
    ASSERT_EQ(run(out(workers), {"count=500", "micros=200", "shuffle=1", "workers=" + std::string(workers)}), 0);
    expect_same(out(workers), out("reference"));
  }
}

struct Fault {
  const char *call, *error, *times;
};

class FaultTest : public ReliabilityTest, public testing::WithParamInterface<Fault> {};

// For every n until a run makes fewer calls: the n-th call fails. The run ends well, or with one message and files that
// go on.
TEST_P(FaultTest, TheNthCallMayFail) {
  MSPROBE_NOT_INSTRUMENTED();
  const Fault fault = GetParam();
  const Strings options{"count=12", "micros=0"};
  ASSERT_EQ(run(out("reference"), options), 0);
  const bool many = std::string(fault.call) == "malloc";
  size_t failed = 0;
  for (long n = 1;; n += many ? 1 + n / 12 : 1) {
    SCOPED_TRACE(std::string(fault.call) + " " + std::to_string(n));
    const std::string folder = out("run");
    fs::remove_all(folder);
    fs::remove(out("reached"));
    const int status = run(folder, options,
                           {"LD_PRELOAD=" MSPROBE_FAULT_SHIM, std::string("FAULT_CALL=") + fault.call,
                            "FAULT_AT=" + std::to_string(n), std::string("FAULT_ERROR=") + fault.error,
                            std::string("FAULT_FOR=") + fault.times, "FAULT_COUNT=" + out("reached")});
    ASSERT_TRUE(status == 0 || status == 2 || status == 3) << status << error();
    const std::string message = error();
    if (status == 0) {
      EXPECT_EQ(message, "");
    } else {
      ++failed;
      EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 1) << message;
      EXPECT_THAT(message, testing::StartsWith("fake_run: "));
    }
    if (status != 0) {
      ASSERT_EQ(run(target(folder), options), 0) << message << error();
    }
    expect_same(folder, out("reference"));
    if (HasFailure()) return;
    if (read(out("reached")).empty()) break;
    ASSERT_LT(n, 100000);
  }
  const bool harmless = std::string(fault.error) == "4" || std::string(fault.error) == "0";  // EINTR, a short write
  EXPECT_EQ(failed > 0, !harmless);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, FaultTest,
    testing::Values(Fault{"open", "5", "1"}, Fault{"open", "28", "1"}, Fault{"open", "4", "1"},
                    Fault{"write", "28", "1"}, Fault{"write", "28", "1000000"}, Fault{"write", "5", "1000000"},
                    Fault{"write", "4", "1"}, Fault{"write", "0", "1"}, Fault{"fsync", "5", "1"},
                    Fault{"fsync", "28", "1"}, Fault{"mmap", "12", "1"}, Fault{"fork", "11", "1"},
                    Fault{"socketpair", "24", "1"}, Fault{"flock", "5", "1"}, Fault{"malloc", "12", "1"}),
    [](const auto& info) { return std::string(info.param.call) + "_" + info.param.error + "_" + info.param.times; });

// A write that fails and cannot be taken back either: nothing may follow the torn row.
TEST_F(ReliabilityTest, NothingFollowsATornRow) {
  MSPROBE_NOT_INSTRUMENTED();
  const Strings options{"count=12", "micros=0"};
  ASSERT_EQ(run(out("reference"), options), 0);
  const std::string folder = out("run");
  // RLIMIT_FSIZE tears the write, the shim keeps ftruncate from mending it.
  Process process(
      {"/bin/sh", "-c", "ulimit -f 4; exec " MSPROBE_FAKE_RUN " " + folder + " count=12 micros=0"}, error_path(),
      {"LD_PRELOAD=" MSPROBE_FAULT_SHIM, "FAULT_CALL=ftruncate", "FAULT_AT=1", "FAULT_ERROR=5", "FAULT_FOR=1000000"});
  EXPECT_EQ(process.wait(), 3);
  EXPECT_THAT(error(), HasSubstr("File too large"));
  EXPECT_EQ(fs::file_size(folder + "/" + kDetails) % 512, 0u);  // torn where the limit was
  ASSERT_EQ(run(target(folder), options), 0) << error();
  expect_same(folder, out("reference"));
}

TEST_F(ReliabilityTest, AFullFileSystemIsNamedAndTheRunGoesOnWhenItHasRoom) {
  const std::string folder = out("small");
  fs::create_directory(folder);
  if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "only root can mount a small disk";
  const Strings options{"count=200", "micros=0"};
  ASSERT_EQ(run(out("reference"), options), 0);
  EXPECT_EQ(run(folder, options), 3);
  EXPECT_THAT(error(),
              testing::ContainsRegex("fake_run: " + folder +
                                     "/accuracy_checking_.*csv: cannot be written: No space "
                                     "left on device, [0-9]+ bytes more are needed; free some space, then go on "
                                     "with -csv_path "));
  EXPECT_EQ(run(target(folder), options), 3);  // still full
  EXPECT_EQ(mount("tmpfs", folder.c_str(), "tmpfs", MS_REMOUNT, "size=4m"), 0);
  EXPECT_EQ(run(target(folder), options), 0) << error();
  expect_same(folder, out("reference"));
  umount(folder.c_str());
}

TEST_F(ReliabilityTest, AFileThatIsCutWhileTheRunWritesItGetsNoNulBytesAndTheRunGoesOn) {
  const Strings options{"count=100", "micros=5000"};
  ASSERT_EQ(run(out("reference"), options), 0);
  for (const char* name : {kResult, kDetails}) {
    const std::string folder = out(name == kResult ? "result" : "details"), path = folder + "/" + name;
    Process process(command(folder, options), error_path());
    const auto until = Clock::now() + std::chrono::seconds(60);
    while ((!fs::exists(path) || fs::file_size(path) < 1000) && Clock::now() < until) sleep_seconds(0.001);
    kill(process.pid(), SIGSTOP);
    int status = 0;
    ASSERT_EQ(waitpid(process.pid(), &status, WUNTRACED), process.pid());
    ASSERT_TRUE(WIFSTOPPED(status));
    fs::resize_file(path, 10);
    kill(process.pid(), SIGCONT);
    EXPECT_EQ(process.wait(), 3);
    EXPECT_EQ(fs::file_size(path), 10u);
    EXPECT_THAT(error(), testing::ContainsRegex("^fake_run: " + path +
                                                ": holds 10 bytes, this run wrote [0-9]+: "
                                                "something else cut it short meanwhile; go on with -csv_path"));
    ASSERT_EQ(run(target(folder), options), 0) << error();
    expect_same(folder, out("reference"));
  }
}

std::vector<std::string> lines(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

TEST_F(ReliabilityTest, ACrashCostsExactlyTheRowOfItsApi) {
  MSPROBE_NOT_INSTRUMENTED();
  ASSERT_EQ(run(out("reference"), {"count=1000", "micros=0"}), 0);
  const Strings acts{"segv", "abort", "fpe", "stack", "terminate", "exit0", "exit3", "closeall", "stdout", "heap"};
  const std::map<std::string, std::string> messages{{"segv", "crashed: SIGSEGV (segmentation fault)"},
                                                    {"abort", "crashed: SIGABRT (aborted)"},
                                                    {"fpe", "crashed: SIGFPE (arithmetic fault)"},
                                                    {"stack", "crashed: SIGSEGV (segmentation fault)"},
                                                    {"terminate", "crashed: SIGABRT (aborted)"},
                                                    {"exit0", "crashed: exited with status 0"},
                                                    {"exit3", "crashed: exited with status 3"},
                                                    {"closeall", "crashed: closed the descriptors of its process"},
                                                    {"heap", "crashed: SIGABRT (aborted)"}};
  std::string list;
  for (const auto& a : acts) list += (list.empty() ? "" : ",") + a;
  const auto good = lines(out("reference") + "/" + kResult);
  for (const char* workers : {"1", "4"}) {
    ASSERT_EQ(run(out(workers), {"count=1000", "micros=0", "misbehave=" + list, "workers=" + std::string(workers)}), 0);
    const auto rows = lines(out(workers) + "/" + kResult);
    ASSERT_EQ(rows.size(), good.size());
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
      const std::string& act = acts[i / 10 % 10];
      std::string expected = good[i + 1];
      if (i % 10 == 3 && act != "stdout")
        expected = expected.substr(0, expected.find(',')) + ",SKIP,SKIP," + messages.at(act) + "\r";
      ASSERT_EQ(rows[i + 1], expected) << i;
    }
  }
  expect_same(out("1"), out("4"));
}

// A second try that goes well keeps the figures; the row says that there was a first.
TEST_F(ReliabilityTest, ACrashThatDoesNotRepeatIsToldInTheRowOfItsApi) {
  const Strings options{"count=100", "micros=0"};
  ASSERT_EQ(run(out("reference"), options), 0);
  const auto good = lines(out("reference") + "/" + kResult);
  Strings all = options;
  all.insert(all.end(), {"misbehave=segv,abort,exit3", "once=1", "log=" + out("log")});
  ASSERT_EQ(run(out("run"), all), 0);
  EXPECT_EQ(read(out("run") + "/" + kDetails), read(out("reference") + "/" + kDetails));
  const auto rows = lines(out("run") + "/" + kResult);
  ASSERT_EQ(rows.size(), good.size());
  const Strings deaths{"SIGSEGV (segmentation fault)", "SIGABRT (aborted)", "exited with status 3"};
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    if (i % 10 != 3) {
      EXPECT_EQ(rows[i + 1], good[i + 1]);
      continue;
    }
    const std::string note =
        "crashed in a first try: " + deaths[i / 10 % 3] + "; a second one, in another process, did not";
    EXPECT_THAT(rows[i + 1], HasSubstr(note));
    EXPECT_EQ(rows[i + 1].substr(0, rows[i + 1].find(" ,") + 2), good[i + 1].substr(0, good[i + 1].find(" ,") + 2));
  }
}

TEST_F(ReliabilityTest, ARunOfNothingButCrashesEndsInTime) {
  const auto start = Clock::now();
  ASSERT_EQ(run(out("run"), {"count=200", "micros=0", "every=1", "misbehave=segv"}), 0);
  EXPECT_LT(seconds_since(start), 200 * 0.05);
  EXPECT_EQ(lines(out("run") + "/" + kResult).size(), 201u);
}

TEST_F(ReliabilityTest, HangsEndAtTheTimeout) {
  const auto start = Clock::now();
  ASSERT_EQ(run(out("run"), {"count=20", "micros=0", "misbehave=hang,sleep", "timeout=0.5"}), 0);
  EXPECT_GT(seconds_since(start), 1);
  EXPECT_LT(seconds_since(start), 10);
  const std::string rows = read(out("run") + "/" + kResult);
  EXPECT_THAT(rows, HasSubstr("NPU.npu_swiglu.0,SKIP,SKIP,timed out after 0.5 s\r\n"));
  EXPECT_THAT(rows, HasSubstr("NPU.npu_swiglu.2,SKIP,SKIP,timed out after 0.5 s\r\n"));
}

TEST_F(ReliabilityTest, WantOfMemoryIsASkip) {
  MSPROBE_NOT_INSTRUMENTED();
  ASSERT_EQ(run(out("run"), {"count=20", "micros=0", "misbehave=huge,fill", "every=10"}), 0);
  const std::string rows = read(out("run") + "/" + kResult);
  EXPECT_THAT(rows, HasSubstr("NPU.npu_swiglu.0,SKIP,SKIP,out of memory\r\n"));
  EXPECT_THAT(rows, HasSubstr("NPU.npu_swiglu.2,SKIP,SKIP,out of memory\r\n"));
}

TEST_F(ReliabilityTest, AskedToEndARunKeepsTheApiAtHandAndGoesOnLater) {
  const Strings options{"count=40", "micros=10000"};
  ASSERT_EQ(run(out("reference"), {"count=40", "micros=0"}), 0);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string folder = out(std::to_string(number)), log = folder + ".log";
    Strings all = options;
    all.push_back("log=" + log);
    Process process(command(folder, all), error_path());
    sleep_seconds(0.15);
    kill(-process.pid(), number);  // as a terminal does: to the whole group
    ASSERT_EQ(process.wait(), 130) << number;
    EXPECT_EQ(error(), "fake_run: interrupted\n");
    // What was begun is in the file.
    EXPECT_EQ(lines(folder + "/" + kResult).size() - 1, numbers(log).size());
    ASSERT_EQ(run(target(folder), all), 0);
    expect_same(folder, out("reference"));
    EXPECT_EQ(numbers(log).size(), 40u);  // no API twice
  }
}

TEST_F(ReliabilityTest, AskedTwiceARunEndsNow) {
  Process process(command(out("run"), {"count=40", "micros=0", "misbehave=sleep"}), error_path());
  sleep_seconds(0.3);
  const auto start = Clock::now();
  kill(process.pid(), SIGINT);
  sleep_seconds(0.1);
  kill(process.pid(), SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_LT(seconds_since(start), 3);
  ASSERT_EQ(run(out("reference"), {"count=40", "micros=0"}), 0);
  ASSERT_EQ(run(target(out("run")), {"count=40", "micros=0"}), 0);
  expect_same(out("run"), out("reference"));
}

TEST_F(ReliabilityTest, UnderNohupAGoneTerminalDoesNotMatter) {
  Process process({"/bin/sh", "-c", "trap '' HUP; exec " MSPROBE_FAKE_RUN " " + out("run") + " count=20 micros=10000"},
                  error_path());
  sleep_seconds(0.1);
  kill(-process.pid(), SIGHUP);
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(ReliabilityTest, TimeForWhichTheRunWasStoppedDoesNotCount) {
  Process process(command(out("run"), {"count=4", "micros=300000", "timeout=1"}), error_path());
  sleep_seconds(0.4);
  kill(-process.pid(), SIGSTOP);
  sleep_seconds(2);
  kill(-process.pid(), SIGCONT);
  EXPECT_EQ(process.wait(), 0);
  EXPECT_THAT(read(out("run") + "/" + kResult), testing::Not(HasSubstr("SKIP")));
}

TEST_F(ReliabilityTest, AFileThatIsBeingWrittenIsNotResumed) {
  Process process(command(out("run"), {"count=40", "micros=50000"}), error_path());
  sleep_seconds(0.3);
  const std::string before = read(out("run") + "/" + kResult);
  EXPECT_EQ(Process(command(target(out("run")), {}), out("second.txt")).wait(), 2);
  EXPECT_EQ(read(out("second.txt")), "fake_run: " + out("run") + "/" + kResult + ": process " +
                                         std::to_string(process.pid()) +
                                         " (fake_run) is still writing it; wait until it has ended, or end it\n");
  kill(process.pid(), SIGINT);
  EXPECT_EQ(process.wait(), 130);
}

TEST_F(ReliabilityTest, TheSupervisorStaysSmall) {
  Process process(command(out("run"), {"count=20000", "micros=0", "workers=2"}), error_path());
  ASSERT_EQ(process.wait(), 0);
  EXPECT_LT(process.usage().ru_maxrss, 64 << 10);  // KB
}

}  // namespace
