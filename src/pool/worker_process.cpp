#include "pool/worker_process.h"

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

WorkerProcess::WorkerProcess(WorkerSetup setup, const std::function<void()>& in_child) {
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

WorkerProcess::~WorkerProcess() {
  dismiss();
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

void WorkerProcess::wake() {
  if (socket_ >= 0 && queue_->wants_waking()) {
    [[maybe_unused]] ssize_t n = ::send(socket_, "w", 1, MSG_NOSIGNAL | MSG_DONTWAIT);  // it is dead, or awake anyway
  }
}

void WorkerProcess::put(uint32_t job) {
  assigned_.push_back(job);
  queue_->put(job);
  wake();
}

std::vector<uint32_t> WorkerProcess::take_back() {
  const size_t n = std::min<size_t>(queue_->take_back(), assigned_.size());
  std::vector<uint32_t> jobs(assigned_.end() - static_cast<std::ptrdiff_t>(n), assigned_.end());
  assigned_.resize(assigned_.size() - n);
  return jobs;
}

bool WorkerProcess::corrupt() const {
  const uint32_t ahead = queue_->taken() - received_;  // some of their outcomes may still be on their way
  return ahead > assigned_.size();
}

uint32_t WorkerProcess::running() const {
  if (assigned_.empty() || (!corrupt() && queue_->taken() == received_)) return kNoJob;
  return assigned_.front();
}

bool WorkerProcess::receive() {
  char bytes[65536];
  for (;;) {
    const ssize_t n = ::recv(socket_, bytes, sizeof bytes, 0);
    if (n > 0) {
      reader_.feed(bytes, static_cast<size_t>(n));
      if (static_cast<size_t>(n) < sizeof bytes) return true;
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }
  }
}

bool WorkerProcess::note_outcome(uint32_t job) {
  if (assigned_.empty() || assigned_.front() != job) return false;
  assigned_.pop_front();
  ++received_;
  return true;
}

void WorkerProcess::note_written(uint32_t outcomes) {
  queue_->set_written(outcomes);
  wake();
}

void WorkerProcess::dismiss() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void WorkerProcess::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::optional<int> WorkerProcess::reap() {
  if (pid_ <= 0) return 0;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
  pid_ = -1;
  return ended < 0 ? 0 : status;
}

std::string WorkerProcess::last_words() const {
  constexpr off_t kMost = 1000;
  struct stat status {};
  if (output_ < 0 || ::fstat(output_, &status) != 0) return {};
  std::string text(static_cast<size_t>(std::min<off_t>(status.st_size, kMost)), '\0');
  const ssize_t n = ::pread(output_, text.data(), text.size(), std::max<off_t>(0, status.st_size - kMost));
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

void WorkerProcess::trim_output() const {
  constexpr off_t kMost = 1 << 20;
  struct stat status {};
  if (output_ >= 0 && ::fstat(output_, &status) == 0 && status.st_size > kMost) {
    [[maybe_unused]] int failed = ::ftruncate(output_, 0);
  }
}

bool WorkerProcess::exiting() const {
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
