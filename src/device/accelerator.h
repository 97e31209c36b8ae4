// What every accelerator has in common, through the interfaces that LibTorch's backends register: no vendor's headers.
#pragma once
#include <c10/core/impl/VirtualGuardImpl.h>

#include "device/device.h"

namespace msprobe::device {

class Accelerator : public Device {
 public:
  /// Makes card `index` current and starts it; throws what the backend says when that fails. The backend of `kind` must
  /// be registered.
  Accelerator(std::string type, at::DeviceType kind, int index);

  std::string type() const override { return type_; }
  at::Device at_device() const override { return device_; }
  void synchronize() override;
  void empty_cache() override;
  void seed(uint64_t seed) override;
  at::DeviceType autocast_type() const override { return device_.type(); }
  std::vector<std::string> describe() const override;

 private:
  std::string type_;
  at::Device device_;
  c10::impl::VirtualGuardImpl guard_;
  bool has_generator_ = true;  // else it draws from the CPU's
  bool can_wait_ = true;       // else its calls return when the work is done
};

/// Cards of a kind whose backend is registered. Must not be called where a process will be forked afterwards.
int count_devices(at::DeviceType kind);

}  // namespace msprobe::device
