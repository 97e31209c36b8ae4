// The device under test. The rest of the program sees a Device, never a vendor (docs/devices.md).
#pragma once
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/options.h"

namespace msprobe::device {

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string type() const = 0;      ///< "cpu", "cuda", "npu"
  virtual at::Device at_device() const = 0;  ///< where tensors go
  virtual void synchronize() = 0;            ///< waits for all work; throws what the device reports
  virtual void empty_cache() = 0;            ///< gives cached memory back, after an out of memory
  virtual void seed(uint64_t seed) = 0;      ///< random state of the device and of the CPU
  /// Autocast key for at::autocast (CPU, CUDA, PrivateUse1).
  virtual at::DeviceType autocast_type() const = 0;
  /// Lines for the log: TF32, HF32, jit settings.
  virtual std::vector<std::string> describe() const = 0;
};

struct Found {
  std::string type;
  int count = 0;
  std::string note;  ///< why it is not usable, or where it was found
};
/// Devices of this machine, in the order npu, cuda, cpu. Vendors' libraries are asked in processes of their own, so
/// this one may fork afterwards. Never throws.
std::vector<Found> detect(const Options& options);

/// What a run works on.
struct Choice {
  std::string type;                   ///< "npu", "cuda", "cpu"
  int count = 1;                      ///< cards of that type
  std::vector<std::string> remarks;   ///< for the log: ids without a meaning, -j off an NPU
  std::vector<std::string> warnings;  ///< for the log: an accelerator that is here but cannot be used
};
/// Decides options.type ("" = the first that exists) and checks options.devices against the cards. Throws
/// Error with the remedy: nothing of that type, no card of that number, a --torch_npu that cannot be used. Asks like
/// detect(); to be called before anything is written.
Choice choose(const Options& options);

/// Makes the operators of the chosen type's vendor known to this process (npu::...), as `--list` and `apis` show them.
/// Touches no device; does nothing unless an NPU is asked for or its library is named. True when they are known. Throws
/// Error.
bool load_operators(const Options& options);
/// What `--list` speaks of: a device of that type to ask how a call would be made, never one to make it on.
std::unique_ptr<Device> planned(const Options& options);

/// Opens device `index` of options.type ("" = the first that exists). Throws Error with the remedy.
/// Must not be called in a process that will fork afterwards.
std::unique_ptr<Device> open(const Options& options, int index);

}  // namespace msprobe::device
