#include "pool/worker.h"

#include <algorithm>
#include <cstddef>

namespace msprobe::pool {

void Worker::wake() {
  if (connected() && process_->queue().wants_waking()) process_->wake();
}

void Worker::put(uint32_t job) {
  assigned_.push_back(job);
  process_->queue().put(job);
  wake();
}

std::vector<uint32_t> Worker::take_back() {
  const size_t n = std::min<size_t>(process_->queue().take_back(), assigned_.size());
  std::vector<uint32_t> jobs(assigned_.end() - static_cast<std::ptrdiff_t>(n), assigned_.end());
  assigned_.resize(assigned_.size() - n);
  return jobs;
}

bool Worker::corrupt() const {
  const uint32_t ahead = process_->queue().taken() - received_;  // some of their outcomes may still be on their way
  return ahead > assigned_.size();
}

uint32_t Worker::running() const {
  if (assigned_.empty() || (!corrupt() && process_->queue().taken() == received_)) return kNoJob;
  return assigned_.front();
}

bool Worker::note_outcome(uint32_t job) {
  if (assigned_.empty() || assigned_.front() != job) return false;
  assigned_.pop_front();
  ++received_;
  return true;
}

void Worker::note_written(uint32_t outcomes) {
  process_->queue().set_written(outcomes);
  wake();
}

}  // namespace msprobe::pool
