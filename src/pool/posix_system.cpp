#include "pool/posix_system.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "pool/forked_process.h"
#include "util/error.h"

namespace msprobe::pool {

std::unique_ptr<Process> PosixSystem::spawn(const Place& place) {
  WorkerSetup setup;
  setup.open = options_.open;
  setup.name = options_.name;
  setup.place = place;
  setup.waits_for_rows = options_.places.size() == 1;
  return std::make_unique<ForkedProcess>(setup, [this] {
    if (options_.in_child) options_.in_child();
  });
}

double PosixSystem::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void PosixSystem::sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

bool PosixSystem::wait(std::vector<int>& channels, double seconds) {
  fds_.clear();
  fds_.push_back({signals_.fd(), POLLIN, 0});
  for (int channel : channels) fds_.push_back({channel, POLLIN, 0});
  const int ms = std::max(1, static_cast<int>(seconds * 1000) + 1);
  if (::poll(fds_.data(), fds_.size(), ms) < 0 && errno != EINTR)
    throw Error("", std::string("waiting for workers failed: ") + std::strerror(errno));
  size_t readable = 0;
  for (size_t i = 0; i < channels.size(); ++i)
    if (fds_[i + 1].revents != 0) channels[readable++] = channels[i];
  channels.resize(readable);
  const bool signalled = fds_.front().revents != 0;
  if (signalled) signals_.drain();
  return signalled;
}

uint64_t PosixSystem::memory_kills() const {
  std::ifstream vmstat("/proc/vmstat");
  std::string name;
  for (uint64_t count = 0; vmstat >> name >> count;)
    if (name == "oom_kill") return count;
  return 0;
}

}  // namespace msprobe::pool
