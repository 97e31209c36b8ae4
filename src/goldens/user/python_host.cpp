#include "goldens/user/python_host.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "util/search_path.h"

namespace msprobe::goldens {
namespace {

constexpr int kChannel = 3;  // descriptor of the socket over there

// Only what may be called between fork and exec of a process that has threads.
[[noreturn]] void become_python(int channel, int output, pid_t parent, char* const* arguments,
                                char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(output >= 0 ? output : null, STDOUT_FILENO);
  if (output >= 0) dup2(output, STDERR_FILENO);
  if (channel == kChannel)
    fcntl(channel, F_SETFD, 0);
  else
    dup2(channel, kChannel);
#ifdef SYS_close_range
  syscall(SYS_close_range, kChannel + 1, ~0U, 0);
#endif
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) signal(s, SIG_DFL);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

std::string last_line(int output) {
  const std::string text = last_words(output);
  return text.substr(text.rfind('\n') + 1);
}

// Whether it ends by itself: what closed its socket may still be on its way out.
bool ended_by_itself(pid_t pid, int& status) {
  constexpr int kPolls = 100;
  constexpr useconds_t kPause = 10'000;
  for (int i = 0; i < kPolls; ++i) {
    const pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == pid) return true;
    if (got < 0 && errno != EINTR) return false;
    usleep(kPause);
  }
  return false;
}

}  // namespace

std::string find_python() {
  if (const char* named = std::getenv("MSPROBE_PYTHON"); named != nullptr && *named != '\0') {
    // A bare name is looked for where a shell would, not in the current folder.
    const std::string python = std::strchr(named, '/') != nullptr ? named : util::program_in_path(named);
    if (util::is_program(python)) return python;
    throw std::runtime_error(std::string(kNeedsPython) + ": MSPROBE_PYTHON names " + named + ", which is no program");
  }
  if (const std::string python = util::program_in_path("python3"); !python.empty()) return python;
  throw std::runtime_error(std::string(kNeedsPython) +
                           ", and no python3 is on PATH; install one, or name it in MSPROBE_PYTHON");
}

Child start_python(const std::string& python, const std::string& script) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::string("no socket for a Python golden: ") + std::strerror(errno));
  Child child;
  child.socket = ends[0];
  child.output = memfd_create("msprobe-python", MFD_CLOEXEC);
  if (child.output >= 0) fcntl(child.output, F_SETFL, O_APPEND);
  // -u: last words are not lost in a buffer; -B: no __pycache__ in users' folders.
  const std::vector<std::string> command{python, "-u", "-B", script}, environment = util::python_environment();
  const std::vector<char*> arguments = util::pointers_to(command), variables = util::pointers_to(environment);
  const pid_t parent = getpid();
  child.pid = fork();
  if (child.pid == 0) become_python(ends[1], child.output, parent, arguments.data(), variables.data());
  const int error = errno;
  close(ends[1]);
  if (child.pid >= 0) return child;
  close(child.socket);
  if (child.output >= 0) close(child.output);
  throw std::runtime_error(std::string("no process for a Python golden: ") + std::strerror(error));
}

std::string how_it_ended(pid_t& pid, int output) {
  int status = 0;
  std::string how = "ended";
  const std::string words = last_line(output);
  if (pid > 0) {
    if (!ended_by_itself(pid, status)) {
      how = "closed its connection";
    } else {
      pid = -1;
      if (WIFSIGNALED(status))
        how = std::string("was ended by a signal: ") + strsignal(WTERMSIG(status));
      else if (WEXITSTATUS(status) == 127)
        how = "could not be started";
      else
        how = "ended with status " + std::to_string(WEXITSTATUS(status));
    }
  }
  return how + (words.empty() ? "" : "; its last words: " + words);
}

std::string last_words(int output) {
  constexpr off_t kMost = 2000;
  struct stat info {};
  if (output < 0 || fstat(output, &info) != 0) return "";
  std::string text(static_cast<size_t>(std::min<off_t>(info.st_size, kMost)), '\0');
  const ssize_t n = pread(output, text.data(), text.size(), std::max<off_t>(0, info.st_size - kMost));
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace msprobe::goldens
