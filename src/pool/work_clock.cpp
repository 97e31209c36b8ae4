#include "pool/work_clock.h"

#include <limits>

namespace msprobe::pool {
namespace {

constexpr double kIdleSeconds = 10;  // for which a worker may leave a job in its queue untouched

}  // namespace

std::optional<Death> WorkClock::advance(const Worker& worker, double passed) {
  if (!worker.opened()) {
    elapsed_ += passed;
    if (limits_.open > 0 && elapsed_ >= limits_.open) return Death{Death::Kind::kOpenTimedOut, 0, limits_.open};
    return std::nullopt;
  }
  if (worker.corrupt()) return Death{Death::Kind::kOverwroteQueue};
  if (worker.running() != kNoJob) return advance_api(worker, passed);
  elapsed_ = 0;
  idle_ = worker.assigned().empty() ? 0 : idle_ + passed;
  if (idle_ > kIdleSeconds) return Death{Death::Kind::kTakesNoWork};
  return std::nullopt;
}

std::optional<Death> WorkClock::advance_api(const Worker& worker, double passed) {
  idle_ = 0;
  const uint32_t number = worker.received() + 1;
  elapsed_ = api_number_ == number ? elapsed_ + passed : 0;
  api_number_ = number;
  if (limits_.api > 0 && elapsed_ >= limits_.api) return Death{Death::Kind::kTimedOut, 0, limits_.api, worker.stage()};
  return std::nullopt;
}

double WorkClock::left(const Worker& worker) const {
  const double limit = worker.opened() ? limits_.api : limits_.open;
  return limit > 0 ? limit - elapsed_ : std::numeric_limits<double>::infinity();
}

}  // namespace msprobe::pool
