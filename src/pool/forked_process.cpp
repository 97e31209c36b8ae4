#include "pool/forked_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "util/error.h"

namespace msprobe::pool {

ForkedProcess::ForkedProcess(WorkerSetup setup, const std::function<void()>& in_child) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("", std::string("no socket for a worker: ") + std::strerror(errno),
                "allow more open files (ulimit -n)");
  socket_ = ends[0];
  ::fcntl(socket_, F_SETFL, O_NONBLOCK);
  // What libraries print must not disturb the progress line, but their last words tell why a process died.
  output_ = ::memfd_create("msprobe-worker", MFD_CLOEXEC);
  if (output_ >= 0) ::fcntl(output_, F_SETFL, O_APPEND);
  try {
    queue_ = JobQueue::map();
    setup.queue = queue_;
    setup.socket = ends[1];
    setup.error_output = output_;
    setup.parent = ::getpid();
    std::fflush(nullptr);  // or a worker that calls exit() would write the buffers a second time
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      in_child();
      worker_main(setup);
    }
    const int error = errno;
    ::close(ends[1]);
    ends[1] = -1;
    if (pid_ < 0)
      throw Error("", std::string("no process for a worker: ") + std::strerror(error),
                  "free memory, allow more processes (ulimit -u), or take fewer workers (-n)");
  } catch (...) {
    for (int fd : {socket_, output_, ends[1]})
      if (fd >= 0) ::close(fd);
    JobQueue::unmap(queue_);
    throw;
  }
}

ForkedProcess::~ForkedProcess() {
  close_channel();
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    constexpr int kTries = 50;  // of 2 ms; a process that a driver holds fast is left to the system
    for (int i = 0; i < kTries && !reap(); ++i) {
      const timespec pause{0, 2'000'000};
      ::nanosleep(&pause, nullptr);
    }
  }
  if (output_ >= 0) ::close(output_);
  JobQueue::unmap(queue_);
}

void ForkedProcess::wake() {
  // Where that fails, it is dead, or awake anyway.
  [[maybe_unused]] const ssize_t n = ::send(socket_, "w", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool ForkedProcess::receive(FrameReader& reader) {
  char bytes[65536];
  for (;;) {
    const ssize_t n = ::recv(socket_, bytes, sizeof bytes, 0);
    if (n > 0) {
      reader.feed(bytes, static_cast<size_t>(n));
      if (static_cast<size_t>(n) < sizeof bytes) return true;
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }
  }
}

void ForkedProcess::close_channel() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void ForkedProcess::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::optional<ExitStatus> ForkedProcess::reap() {
  if (pid_ <= 0) return ExitStatus{};
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
  pid_ = -1;
  if (ended < 0) return ExitStatus{};
  if (WIFSIGNALED(status)) return ExitStatus{true, WTERMSIG(status)};
  return ExitStatus{false, WEXITSTATUS(status)};
}

std::string ForkedProcess::last_words() const {
  constexpr off_t kMost = 1000;
  struct stat status {};
  if (output_ < 0 || ::fstat(output_, &status) != 0) return {};
  std::string text(static_cast<size_t>(std::min<off_t>(status.st_size, kMost)), '\0');
  const ssize_t n = ::pread(output_, text.data(), text.size(), std::max<off_t>(0, status.st_size - kMost));
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

void ForkedProcess::trim_output() const {
  constexpr off_t kMost = 1 << 20;
  struct stat status {};
  if (output_ >= 0 && ::fstat(output_, &status) == 0 && status.st_size > kMost) {
    [[maybe_unused]] int failed = ::ftruncate(output_, 0);
  }
}

bool ForkedProcess::exiting() const {
  constexpr unsigned kExiting = 0x4;  // PF_EXITING of the kernel's task flags, field 9 of proc(5)'s stat
  char text[512];
  std::snprintf(text, sizeof text, "/proc/%d/stat", static_cast<int>(pid_));
  const int fd = ::open(text, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;  // gone already
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (n <= 0) return true;
  text[n] = '\0';
  const char* fields = std::strrchr(text, ')');  // the name before it may hold anything
  char state = 0;
  unsigned flags = 0;
  if (fields == nullptr || std::sscanf(fields + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2) return false;
  return state == 'Z' || state == 'X' || (flags & kExiting) != 0;
}

}  // namespace msprobe::pool
