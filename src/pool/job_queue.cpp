#include "pool/job_queue.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "util/error.h"

namespace msprobe::pool {

JobQueue* JobQueue::map() {
  void* page = ::mmap(nullptr, sizeof(JobQueue), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    throw Error("", std::string("no memory to share with a worker: ") + std::strerror(errno),
                "free some memory or take fewer workers (-n)");
  return new (page) JobQueue;
}

void JobQueue::unmap(JobQueue* queue) noexcept {
  if (queue != nullptr) ::munmap(queue, sizeof(JobQueue));
}

void JobQueue::put(uint32_t job) {
  uint64_t ends = ends_.load();
  jobs_[put_in(ends) % kCapacity].store(job, std::memory_order_relaxed);
  while (!ends_.compare_exchange_weak(ends, pack(begun(ends), put_in(ends) + 1))) {
  }
}

uint32_t JobQueue::take_back() {
  uint64_t ends = ends_.load();
  while (!ends_.compare_exchange_weak(ends, pack(begun(ends), begun(ends)))) {
  }
  return put_in(ends) - begun(ends);
}

uint32_t JobQueue::taken() const {
  return begun(ends_.load());
}

uint32_t JobQueue::size() const {
  const uint64_t ends = ends_.load();
  return put_in(ends) - begun(ends);
}

std::optional<uint32_t> JobQueue::peek() const {
  const uint64_t ends = ends_.load();
  if (begun(ends) == put_in(ends)) return std::nullopt;
  return jobs_[begun(ends) % kCapacity].load(std::memory_order_relaxed);
}

std::optional<uint32_t> JobQueue::take() {
  uint64_t ends = ends_.load();
  do {
    if (begun(ends) == put_in(ends)) return std::nullopt;
  } while (!ends_.compare_exchange_weak(ends, pack(begun(ends) + 1, put_in(ends))));
  // Read only now that it is ours: before, the job could be taken back and another one put in its place unnoticed.
  return jobs_[begun(ends) % kCapacity].load(std::memory_order_relaxed);
}

}  // namespace msprobe::pool
