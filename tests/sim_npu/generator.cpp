#include "generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GeneratorImpl.h>

#include <mutex>
#include <vector>

#include "device.h"

namespace sim_npu {
namespace {

// Overrides are not marked where LibTorch versions differ in what the base declares.
class Generator final : public c10::GeneratorImpl {
 public:
  explicit Generator(c10::DeviceIndex index, at::Generator cpu = at::detail::createCPUGenerator())
      : c10::GeneratorImpl(at::Device(kNpu, index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        cpu_(std::move(cpu)) {}

  const at::Generator& cpu() const { return cpu_; }
  void set_current_seed(uint64_t seed) override { impl().set_current_seed(seed); }
  void set_offset(uint64_t offset) { impl().set_offset(offset); }
  uint64_t get_offset() const { return impl().get_offset(); }
  uint64_t current_seed() const override { return impl().current_seed(); }
  uint64_t seed() override { return impl().seed(); }
  void set_state(const c10::TensorImpl& state) override { impl().set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return impl().get_state(); }

 private:
  Generator* clone_impl() const override { return new Generator(device().index(), cpu_.clone()); }
  c10::GeneratorImpl& impl() const { return *cpu_.unsafeGetGeneratorImpl(); }

  at::Generator cpu_;
};

}  // namespace

const at::Generator& default_generator(c10::DeviceIndex index) {
  static const std::vector<at::Generator> generators = [] {
    std::vector<at::Generator> all;
    for (c10::DeviceIndex i = 0; i < device_count(); ++i) all.push_back(new_generator(i));
    return all;
  }();
  return generators.at(static_cast<size_t>(index < 0 ? current_device() : index));
}

at::Generator new_generator(c10::DeviceIndex index) {
  return at::make_generator<Generator>(index < 0 ? current_device() : index);
}

at::Generator twin_of(const at::Generator& generator) {
  return static_cast<Generator*>(generator.unsafeGetGeneratorImpl())->cpu();
}

}  // namespace sim_npu
