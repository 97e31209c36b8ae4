#include "pool/devices.h"

#include <spdlog/spdlog.h>

namespace msprobe::pool {
namespace {

constexpr double kFailurePause = 0.05;  // times the number of failures: before a device is opened again

}  // namespace

std::string Devices::on(int device) const {
  return type_.empty() ? "" : " on " + type_ + ":" + std::to_string(device);
}

bool Devices::note_opened(int device) {
  return !std::exchange(states_[device].opened, true);
}

bool Devices::ever_opened(int device) const {
  const auto state = states_.find(device);
  return state != states_.end() && state->second.opened;
}

void Devices::note_works(int device) {
  states_[device].failures = 0;
}

double Devices::note_failed(int device, const std::string& why, bool final) {
  const int failures = ++states_[device].failures;
  const std::string where = "device " + std::to_string(device);
  if (final)
    failure_ = where + ": " + why;
  else if (failures >= kMaxDeviceFailures)
    failure_ = where + " failed " + std::to_string(failures) + " times in a row, at last: " + why;
  else
    spdlog::warn("{} failed ({} times in a row): {}", where, failures, why);
  return kFailurePause * failures;
}

bool Devices::give_up(int device) {
  return !std::exchange(states_[device].given_up, true);
}

bool Devices::usable(int device) const {
  const auto state = states_.find(device);
  return state == states_.end() || (state->second.failures == 0 && !state->second.given_up);
}

}  // namespace msprobe::pool
