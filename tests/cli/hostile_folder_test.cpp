// The program in folders that hold what somebody else put there: modules for its Python, programs, and whatever has the
// names of the files that it will write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/program.h"

namespace msprobe::cli {
namespace {

namespace fs = std::filesystem;
using support::content;
using support::Outcome;
using support::ProgramFixture;
using testing::StartsWith;

const std::string kDemo = MSPROBE_TEST_DATA "/demo/step0/rank0";
constexpr const char* kVictim = "untouched";

class HostileFolderTest : public ProgramFixture {
 protected:
  HostileFolderTest() { folder_.write("victim", kVictim); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Modules and programs that leave a mark when they are run.
  void plant(const std::string& folder) const {
    const std::string module = "open('" + path("mark") + "', 'a').write(__name__ + '\\n')\n";
    for (const char* name :
         {"sysconfig", "sitecustomize", "usercustomize", "importlib/__init__", "importlib/util", "linecache",
          "traceback", "json", "struct", "socket", "mmap", "torch/__init__", "torch_npu/__init__"})
      folder_.write(folder + "/" + name + ".py", module);
    folder_.write(folder + "/torch_npu/lib/libtorch_npu.so", "no library");
    for (const char* name : {"python3", "python", "npu-smi", "nvidia-smi", "sh", "env"}) {
      folder_.write(folder + "/" + name, "#!/bin/sh\necho " + std::string(name) + " >>'" + path("mark") + "'\n");
      fs::permissions(folder_ / folder / name, fs::perms::owner_all);
    }
  }

  /// What has the name `file` instead of nothing: each way to lead a writer elsewhere, or to keep it waiting.
  using Trap = std::function<void(const fs::path& file)>;
  std::vector<std::pair<std::string, Trap>> traps() const {
    return {{"link", [this](const fs::path& file) { fs::create_symlink(folder_ / "victim", file); }},
            {"link to nothing", [this](const fs::path& file) { fs::create_symlink(folder_ / "absent", file); }},
            {"FIFO", [](const fs::path& file) { ASSERT_EQ(mkfifo(file.c_str(), 0600), 0); }},
            {"second name", [this](const fs::path& file) { fs::create_hard_link(folder_ / "victim", file); }},
            {"folder", [](const fs::path& file) { fs::create_directory(file); }}};
  }
  /// Sets it at `beginning`TIMESTAMP`end` for the seconds to come.
  void set(const Trap& trap, const std::string& beginning, const std::string& end) const {
    constexpr int kSeconds = 30;
    const std::time_t now = std::time(nullptr);
    for (int later = 0; later < kSeconds; ++later) {
      const std::time_t then = now + later;
      std::tm local{};
      localtime_r(&then, &local);
      char text[32];
      const std::string time(text, std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local));
      fs::create_directories((folder_ / beginning).parent_path());
      trap(path(beginning + time + end));
    }
  }
  void expect_untouched() const {
    EXPECT_EQ(content(folder_ / "victim"), kVictim);
    EXPECT_FALSE(fs::exists(folder_ / "absent"));
  }
  /// Regular files of this beginning, links and second names left out.
  std::vector<fs::path> files_in(const std::string& folder, const std::string& beginning) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_ / folder))
      if (entry.path().filename().string().starts_with(beginning) && fs::is_regular_file(entry.symlink_status()) &&
          fs::hard_link_count(entry.path()) == 1)
        found.push_back(entry.path());
    return found;
  }
};

/// Where a FIFO keeps the program waiting, the test fails instead of waiting too.
const std::string kInTime = "timeout 60";

TEST_F(HostileFolderTest, NothingOfItIsRunWhateverIsAskedFor) {
  plant("dump");
  for (const char* file : {"dump.json", "dump_tensor_data"})
    fs::copy(kDemo + "/" + file, folder_ / "dump" / file, fs::copy_options::recursive);
  plant("here");
  const std::string dump = "-api_info ../dump/dump.json ";
  ASSERT_EQ(msprobe("acc_check -api_info dump/dump.json --device_type cpu -o parts --shard 0/2").code, 0);
  ASSERT_EQ(msprobe("acc_check -api_info dump/dump.json --device_type cpu -o parts --shard 1/2").code, 0);
  const std::string details = only_file("parts/shard_0_of_2", "accuracy_checking_details_").string();
  const std::string gpu = (folder_ / "gpu.csv").string();
  fs::copy_file(details, gpu);
  constexpr int kAny = -1;  // there may be an NPU here
  // A card is looked for first where /dev has one; --device_type npu looks everywhere.
  const std::vector<std::pair<std::string, int>> ways{
      {"--version", 0},
      {"-h", 0},
      {"apis", 0},
      {"acc_check " + dump + "-o out", 0},
      {"acc_check " + dump + "--list", 0},
      {"acc_check " + dump + "--device_type npu -o out", kAny},
      {"multi_acc_check " + dump + "-n 2 -o out", 0},
      {"api_precision_compare -npu '" + details + "' -gpu '" + gpu + "' -o out", 0},
      {"merge ../parts -o out", 0}};
  // An empty entry of PYTHONPATH is the current folder, and so is one of PATH, as every relative one may be.
  for (const char* variables : {"PYTHONPATH=", "PYTHONPATH=/nowhere: PATH=\".::../here:$PATH\""}) {
    for (const auto& [arguments, code] : ways) {
      SCOPED_TRACE(std::string(variables) + " " + arguments);
      const Outcome outcome = msprobe(arguments, std::string("MSPROBE_TORCH_NPU= LD_LIBRARY_PATH= ") + variables + " " +
                                                     kInTime + " /usr/bin/env -C here");
      EXPECT_TRUE(code == kAny || outcome.code == code) << outcome.code << " " << outcome.err;
      EXPECT_EQ(content(folder_ / "mark"), "");
      EXPECT_EQ(outcome.err.find("here/torch_npu"), std::string::npos) << outcome.err;
      EXPECT_EQ(outcome.out.find("here/torch_npu"), std::string::npos) << outcome.out;
      fs::remove(folder_ / "mark");
    }
  }
}

TEST_F(HostileFolderTest, NamesOfTheLogThatAreTakenAreLeftAlone) {
  for (const auto& [kind, trap] : traps()) {
    SCOPED_TRACE(kind);
    set(trap, "out/accuracy_checking_", ".log");
    const Outcome outcome = msprobe("acc_check -api_info '" + kDemo + "/dump.json' --device_type cpu -o out", kInTime);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto logs = files_in("out", "accuracy_checking_2");
    ASSERT_EQ(logs.size(), 1u);
    EXPECT_NE(content(logs[0]), "");
    EXPECT_EQ(files_in("out", "accuracy_checking_result_").size(), 1u);
    expect_untouched();
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(HostileFolderTest, NamesOfResultsThatAreTakenAreLeftAlone) {
  for (const auto& [kind, trap] : traps())
    for (const char* name : {"out/accuracy_checking_result_", "out/accuracy_checking_details_"}) {
      SCOPED_TRACE(kind + " " + name);
      set(trap, name, ".csv");
      const Outcome outcome =
          msprobe("acc_check -api_info '" + kDemo + "/dump.json' --device_type cpu -o out", kInTime);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_EQ(files_in("out", "accuracy_checking_result_").size(), 1u);
      EXPECT_EQ(files_in("out", "accuracy_checking_details_").size(), 1u);
      expect_untouched();
      fs::remove_all(folder_ / "out");
    }
}

TEST_F(HostileFolderTest, NamesOfSavedTensorsThatAreTakenAreLeftAlone) {
  folder_.write("config.yaml", "save_data: all\nerror_data_path: saved\n");
  for (const auto& [kind, trap] : traps()) {
    SCOPED_TRACE(kind);
    set(trap, "saved/ut_error_data", "");
    const Outcome outcome =
        msprobe("acc_check -api_info '" + kDemo + "/dump.json' --device_type cpu -config config.yaml -o out", kInTime);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    size_t full = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "saved"))
      full += fs::is_directory(entry.symlink_status()) && !fs::is_empty(entry.path());
    EXPECT_EQ(full, 1u);
    expect_untouched();
    fs::remove_all(folder_ / "saved");
  }
}

TEST_F(HostileFolderTest, NamesOfComparisonsThatAreTakenAreLeftAlone) {
  ASSERT_EQ(msprobe("acc_check -api_info '" + kDemo + "/dump.json' --device_type cpu -o npu").code, 0);
  const std::string details = only_file("npu", "accuracy_checking_details_").string();
  const std::string gpu = (folder_ / "gpu.csv").string();
  fs::copy_file(details, gpu);
  for (const auto& [kind, trap] : traps()) {
    SCOPED_TRACE(kind);
    set(trap, "out/api_precision_compare_details_", ".csv");
    const Outcome outcome =
        msprobe("api_precision_compare -npu '" + details + "' -gpu '" + gpu + "' -o out", kInTime);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(files_in("out", "api_precision_compare_result_").size(), 1u);
    EXPECT_EQ(files_in("out", "api_precision_compare_details_").size(), 1u);
    size_t links = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) links += entry.is_symlink();
    EXPECT_EQ(links, kind.starts_with("link") ? 30u : 0u);
    expect_untouched();
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(HostileFolderTest, GoingOnWritesThroughNoLink) {
  const std::string run = "acc_check -api_info '" + kDemo + "/dump.json' --device_type cpu ";
  for (const auto& [kind, trap] : traps())
    for (const char* kept : {"accuracy_checking_2", "accuracy_checking_result_", "accuracy_checking_details_"}) {
      SCOPED_TRACE(kind + " " + kept);
      ASSERT_EQ(msprobe(run + "-o out").code, 0);
      const std::string result = only_file("out", "accuracy_checking_result_").string();
      const fs::path file = only_file("out", kept);
      fs::remove(file);
      trap(file);
      const Outcome outcome = msprobe(run + "-csv_path '" + result + "'", kInTime);
      EXPECT_EQ(outcome.code, file.extension() == ".log" ? 3 : 2) << outcome.err;
      EXPECT_THAT(outcome.err, StartsWith("msprobe: error: " + file.string() + ": "));
      expect_untouched();
      fs::remove_all(folder_ / "out");
    }
}

}  // namespace
}  // namespace msprobe::cli
