#include <ATen/CPUGeneratorImpl.h>

#include "device/backends.h"
#include "util/cores.h"
#include "util/count_of.h"

namespace msprobe::device {
namespace {

// The embedded default: the vendor's kernels aside, everything is real.
class Cpu : public Device {
 public:
  std::string type() const override { return "cpu"; }
  at::Device at_device() const override { return at::Device(at::kCPU); }
  void synchronize() override {}
  void empty_cache() override {}
  void seed(uint64_t seed) override {
    auto generator = at::detail::getDefaultCPUGenerator();
    std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(seed);
  }
  at::DeviceType autocast_type() const override { return at::kCPU; }
  std::vector<std::string> describe() const override {
    return {"device: cpu, " + util::count_of(static_cast<size_t>(util::usable_cores()), "core")};
  }
};

}  // namespace

std::unique_ptr<Device> open_cpu() {
  return std::make_unique<Cpu>();
}

}  // namespace msprobe::device
