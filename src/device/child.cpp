#include "device/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>

#include "util/descriptor.h"
#include "util/error.h"
#include "util/search_path.h"

namespace msprobe::device {
namespace {

using util::Descriptor;

constexpr char kDone = 'D', kError = 'E';
constexpr char kBetween = '\x1f';  // separates the parts of an Error

void write_all(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

// Reads to the end; false when that does not come within `seconds`.
bool read_all(int fd, std::string& text, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wanted{fd, POLLIN, 0};
    const int ready = left > 0 ? ::poll(&wanted, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char bytes[4096];
    const ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    text.append(bytes, static_cast<size_t>(n));
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The last line that says something.
std::string last_words(int fd) {
  constexpr off_t kMost = 4096;
  const off_t size = ::lseek(fd, 0, SEEK_END);
  if (size <= 0) return "";
  const off_t start = size > kMost ? size - kMost : 0;
  std::string text(static_cast<size_t>(size - start), '\0');
  const ssize_t n = ::pread(fd, text.data(), text.size(), start);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const auto line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

[[noreturn]] void run_child(const std::function<std::string()>& work, int answer, int words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 0);  // what crashes here is expected, a core file helps nobody
  if (const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
  }
  if (words >= 0) ::dup2(words, STDERR_FILENO);
  std::string text;
  try {
    text = kDone + work();
  } catch (const Error& e) {
    text = kError + e.where() + kBetween + e.message() + kBetween + e.remedy();
  } catch (const std::exception& e) {
    text = kError + std::string() + kBetween + e.what() + kBetween;
  }
  write_all(answer, text);
  ::_exit(0);  // no destructors: a driver's may hang or crash
}

[[noreturn]] void throw_error(const std::string& parts) {
  const auto first = parts.find(kBetween), second = parts.find(kBetween, first + 1);
  throw Error(parts.substr(0, first), parts.substr(first + 1, second - first - 1), parts.substr(second + 1));
}

}  // namespace

std::string in_child(const std::string& where, const std::function<std::string()>& work, double seconds) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(where, std::string("no pipe: ") + ::strerror(errno));
  Descriptor answer(ends[0]), question(ends[1]), words(::memfd_create("last words", MFD_CLOEXEC));
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw Error(where, std::string("no process could be started: ") + ::strerror(errno));
  if (pid == 0) run_child(work, question.get(), words.get());
  question.close();
  std::string text;
  const bool in_time = read_all(answer.get(), text, seconds);
  if (!in_time) ::kill(pid, SIGKILL);
  const int status = wait_for(pid);
  if (in_time && !text.empty() && text[0] == kDone) return text.substr(1);
  if (in_time && !text.empty() && text[0] == kError) throw_error(text.substr(1));

  std::string what = "asking for it ";
  if (!in_time)
    what += "took longer than " + std::to_string(static_cast<int>(seconds)) + " s";
  else if (WIFSIGNALED(status))
    what += std::string("crashed (") + ::strsignal(WTERMSIG(status)) + ")";
  else
    what += "ended with status " + std::to_string(WEXITSTATUS(status));
  if (const std::string said = last_words(words.get()); !said.empty()) what += ", its last words: " + said;
  throw Error(where, what, "see that the vendor's own tools work on this machine (npu-smi info, nvidia-smi)");
}

std::string output_of(const std::vector<std::string>& argv, const std::vector<std::string>& variables) {
  const std::string program = argv[0].find('/') == std::string::npos ? util::program_in_path(argv[0]) : argv[0];
  if (program.empty()) return "";
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  Descriptor output(ends[0]), input(ends[1]);
  const std::vector<std::string> environment = util::python_environment(variables);
  const std::vector<char*> arguments = util::pointers_to(argv), named = util::pointers_to(environment);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments.data(), named.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return "";
  input.close();
  std::string text;
  constexpr double kSeconds = 30;
  const bool in_time = read_all(output.get(), text, kSeconds);
  if (!in_time) ::kill(pid, SIGKILL);
  const int status = wait_for(pid);
  return in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

}  // namespace msprobe::device
