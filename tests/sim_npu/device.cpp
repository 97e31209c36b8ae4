#include "device.h"

#include <c10/util/Exception.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

namespace sim_npu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostDevices = 16;
constexpr int kDefaultDevices = 2;  // so that -d 0 1 means something

struct Card {
  std::mutex mutex;
  Clock::time_point idle_at{};
  std::string late_error;
};

Card& card(c10::DeviceIndex index) {
  static std::array<Card, kMostDevices> cards;
  return cards.at(static_cast<size_t>(index));
}

thread_local c10::DeviceIndex current = 0;

}  // namespace

c10::DeviceIndex device_count() noexcept {
  static const int count = [] {
    const char* text = std::getenv("MSPROBE_SIM_NPU_DEVICES");
    const int wanted = text != nullptr ? std::atoi(text) : kDefaultDevices;
    return wanted < 0 ? 0 : wanted > kMostDevices ? kMostDevices : wanted;
  }();
  return static_cast<c10::DeviceIndex>(count);
}

c10::DeviceIndex current_device() noexcept {
  return current;
}

void set_current_device(c10::DeviceIndex index) {
  TORCH_CHECK(index >= 0 && index < device_count(), "npu: invalid device ordinal ", static_cast<int>(index),
              ", there are ", static_cast<int>(device_count()), " simulated devices");
  current = index;
}

void use_device(c10::DeviceIndex index) noexcept {
  if (index >= 0 && index < device_count()) current = index;
}

void queue_work(c10::DeviceIndex index, double seconds) noexcept {
  if (seconds <= 0) return;
  Card& c = card(index);
  std::lock_guard<std::mutex> lock(c.mutex);
  c.idle_at = std::max(c.idle_at, Clock::now()) +
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

bool is_busy(c10::DeviceIndex index) noexcept {
  Card& c = card(index);
  std::lock_guard<std::mutex> lock(c.mutex);
  return Clock::now() < c.idle_at;
}

void report_later(c10::DeviceIndex index, std::string message) {
  Card& c = card(index);
  std::lock_guard<std::mutex> lock(c.mutex);
  if (c.late_error.empty()) c.late_error = std::move(message);
}

void synchronize(c10::DeviceIndex index) {
  Card& c = card(index);
  std::unique_lock<std::mutex> lock(c.mutex);
  const auto until = c.idle_at;
  lock.unlock();
  std::this_thread::sleep_until(until);
  lock.lock();
  std::string error;
  error.swap(c.late_error);
  lock.unlock();
  TORCH_CHECK(error.empty(), error);
}

}  // namespace sim_npu
