#include "pool/scheduler.h"

#include <algorithm>

namespace msprobe::pool {

Scheduler::Scheduler(size_t count, size_t window, size_t backlog, std::function<double(size_t)> cost)
    : count_(count), window_(std::max<size_t>(window, 1)), backlog_(backlog), cost_of_(std::move(cost)) {}

void Scheduler::extend() {
  const size_t end = std::min(count_, written_ + window_);
  for (; seen_ < end; ++seen_) {
    const auto job = static_cast<uint32_t>(seen_);
    const double cost = cost_of_(seen_);
    costs_[job] = cost;
    pending_.insert(job);
    by_cost_.insert({-cost, job});
  }
}

std::optional<uint32_t> Scheduler::next() {
  extend();
  if (pending_.empty()) return std::nullopt;
  const uint32_t job = finished_.size() > backlog_ ? *pending_.begin() : by_cost_.begin()->second;
  pending_.erase(job);
  by_cost_.erase({-costs_[job], job});
  return job;
}

double Scheduler::cost(uint32_t job) const {
  const auto found = costs_.find(job);
  return found == costs_.end() ? 0 : found->second;
}

void Scheduler::requeue(uint32_t job) {
  pending_.insert(job);
  by_cost_.insert({-costs_[job], job});
}

void Scheduler::finish(uint32_t job, outcome::ApiOutcome outcome) {
  finished_.emplace(job, std::move(outcome));
}

std::optional<outcome::ApiOutcome> Scheduler::pop_ready() {
  if (finished_.empty() || finished_.begin()->first != written_) return std::nullopt;
  auto outcome = std::move(finished_.begin()->second);
  finished_.erase(finished_.begin());
  costs_.erase(static_cast<uint32_t>(written_));
  ++written_;
  return outcome;
}

}  // namespace msprobe::pool
