// Programs that are started, killed and looked at by tests.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace msprobe::reliability {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

// Faults that a sanitizer's runtime catches itself, or that have to be loaded before it.
#ifdef MSPROBE_INSTRUMENTED
#define MSPROBE_NOT_INSTRUMENTED() GTEST_SKIP() << "built with a sanitizer or coverage, which meets these faults first"
#else
#define MSPROBE_NOT_INSTRUMENTED() static_cast<void>(0)
#endif

inline std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<long> numbers(const std::string& path) {
  std::ifstream in(path);
  std::vector<long> all;
  for (long n; in >> n;) all.push_back(n);
  return all;
}

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// A program in a process group of its own. stdout is the test's, or thrown away.
class Process {
 public:
  Process(const Strings& arguments, const std::string& error_path, const Strings& environment = {},
          bool silent = false) {
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      const int error = open(error_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(error, 2);
      if (silent) dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 1);
      for (const auto& setting : environment) putenv(const_cast<char*>(setting.c_str()));
      std::vector<char*> argv;
      for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    setpgid(pid_, pid_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  pid_t pid() const { return pid_; }
  // Exit status, or 1000 + signal.
  int wait() {
    int status = 0;
    while (wait4(pid_, &status, 0, &usage_) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  const rusage& usage() const { return usage_; }

 private:
  pid_t pid_ = -1;
  rusage usage_{};
};

// MSPROBE_KILLS=700 makes the kill tests as long as before a release.
inline long kills_asked(long otherwise) {
  const char* text = getenv("MSPROBE_KILLS");
  return text != nullptr ? atol(text) : otherwise;
}

inline bool alive(pid_t pid) {
  if (kill(pid, 0) != 0) return false;
  const std::string stat = read("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.size() > name_end + 2 && stat[name_end + 2] != 'Z';
}

// A folder in memory, where there is one; orphans of what a test starts come to the test.
class RunFixture : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path base = access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string pattern = base / "reliability_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans come here, where they are counted
  }
  void TearDown() override {
    int status;
    while (waitpid(-1, &status, WNOHANG) > 0) {
    }
    fs::remove_all(dir_);
  }

  std::string error_path() const { return dir_ + "/error.txt"; }
  std::string error() const { return read(error_path()); }
  std::string out(const std::string& name) const { return dir_ + "/" + name; }

  std::string dir_;
};

}  // namespace msprobe::reliability
