// The simulated cards: which one is current, their clocks, and errors that they report late.
#pragma once
#include <c10/core/Device.h>

#include <string>

namespace sim_npu {

inline constexpr at::DeviceType kNpu = at::DeviceType::PrivateUse1;

/// Two, or MSPROBE_SIM_NPU_DEVICES.
c10::DeviceIndex device_count() noexcept;

/// Of the calling thread.
c10::DeviceIndex current_device() noexcept;
void set_current_device(c10::DeviceIndex index);  ///< throws for a card that does not exist
void use_device(c10::DeviceIndex index) noexcept;

/// A kernel was queued: the card is busy for `seconds` longer.
void queue_work(c10::DeviceIndex index, double seconds) noexcept;
/// Whether the card still works.
bool is_busy(c10::DeviceIndex index) noexcept;
/// The next synchronize() of the card throws `message`, as an asynchronous device reports the error of a kernel.
void report_later(c10::DeviceIndex index, std::string message);
/// Waits until the card's clock has passed its work; throws what was to be reported.
void synchronize(c10::DeviceIndex index);

}  // namespace sim_npu
