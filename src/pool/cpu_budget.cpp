#include "pool/cpu_budget.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace msprobe::pool {
namespace {

constexpr auto kLookAgain = std::chrono::microseconds(200);

// 0, or errno. Locks belong to the process: forked workers do not inherit them, and they end with it.
int lock(int fd, short type, int begin, int count) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  range.l_len = count;
  return ::fcntl(fd, F_SETLK, &range) == 0 ? 0 : errno;
}

}  // namespace

int threads_for(double estimated_seconds, int budget) {
  if (!(estimated_seconds >= kOneThreadSeconds)) return 1;
  const double wanted = std::min(estimated_seconds / kSecondsAThread, static_cast<double>(budget));
  int threads = 1;
  while (2 * threads <= wanted) threads *= 2;
  return wanted >= budget ? std::max(1, budget) : threads;
}

CpuBudget::CpuBudget(int threads)
    : slots_(::memfd_create("msprobe-threads", MFD_CLOEXEC)), threads_(std::max(1, threads)) {}

bool CpuBudget::try_take(int threads) {
  // Whole blocks: no worker ever waits for the rest while it holds some.
  for (int begin = 0; begin + threads <= threads_; begin += threads) {
    const int error = lock(slots_.get(), F_WRLCK, begin, threads);
    if (error == EAGAIN || error == EACCES || error == EINTR) continue;
    if (error == 0) {
      held_ = threads;
      begin_ = begin;
    }
    return true;
  }
  return false;
}

bool CpuBudget::take(int threads, double patience) {
  threads = std::clamp(threads, 1, threads_);
  if (threads == held_) return true;
  give_back();
  if (threads == 1) return true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patient_ ? patience : 0);
  while (!try_take(threads)) {
    if (std::chrono::steady_clock::now() >= end) return patient_ = false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return patient_ = true;
}

void CpuBudget::give_back() {
  if (held_ > 0) lock(slots_.get(), F_UNLCK, begin_, held_);
  held_ = 0;
}

}  // namespace msprobe::pool
