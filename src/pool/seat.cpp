#include "pool/seat.h"

#include <algorithm>
#include <limits>

#include "pool/death.h"

namespace msprobe::pool {
namespace {

constexpr double kHangUpSeconds = 0.1;  // from a closed socket to the end of the process
constexpr double kEndingSeconds = 30;   // for which its end may take: a worker holds gigabytes, a driver may hold it
constexpr double kIdleSeconds = 10;     // for which a worker may leave a job in its queue untouched

}  // namespace

void Seat::condemn(const std::string& why) {
  if (dying >= 0) return;
  if (reason.empty()) reason = why;
  worker->kill();
  dying = 0;
}

void Seat::dismiss() {
  worker->dismiss();
  left = let_go = true;
  hung_up = 0;
}

double Seat::patience(const Limits& limits) const {
  double seconds = std::numeric_limits<double>::infinity();
  if (pause > 0) seconds = pause;
  if (!worker) return seconds;
  if (hung_up >= 0 && dying < 0) seconds = std::min(seconds, kHangUpSeconds);
  const double limit = worker->ready() ? limits.api : limits.open;
  return limit > 0 ? std::min(seconds, limit - elapsed) : seconds;
}

void Seat::watch(double passed, const Limits& limits) {
  if (pause > 0 && !worker) pause -= passed;
  if (!worker) return;
  // A killed process closes its socket long before it is gone; only one that lives on has closed it itself.
  if (hung_up >= 0 && (hung_up += passed) > (left ? kDyingSeconds : kHangUpSeconds) && !worker->exiting())
    condemn("crashed: closed the descriptors of its process");
  if (left || hung_up >= 0) ending += passed;
  if (ending > kEndingSeconds) condemn("crashed: its process does not end");
  if (dying >= 0) dying += passed;
  if (dying < 0 && !left) watch_work(passed, limits);
}

void Seat::watch_work(double passed, const Limits& limits) {
  if (!worker->ready()) {
    elapsed += passed;
    if (limits.open > 0 && elapsed >= limits.open)
      condemn("the device did not open within " + seconds_text(limits.open) + " s");
    return;
  }
  if (worker->corrupt()) {
    condemn("crashed: overwrote the memory of its queue");
  } else if (worker->running() != kNoJob) {
    idle = 0;
    if (timed != worker->received() + 1) {
      timed = worker->received() + 1;
      elapsed = 0;
    } else {
      elapsed += passed;
    }
    if (limits.api > 0 && elapsed >= limits.api)
      condemn("timed out after " + seconds_text(limits.api) + " s" + std::string(outcome::stage_text(worker->stage())));
  } else {
    elapsed = 0;
    idle = worker->assigned().empty() ? 0 : idle + passed;
    if (idle > kIdleSeconds) condemn("crashed: takes no more work");
  }
}

}  // namespace msprobe::pool
