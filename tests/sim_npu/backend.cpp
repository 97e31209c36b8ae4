// Registers the simulated cards as PyTorch's PrivateUse1 backend: name, allocator, guard with streams and events,
// hooks.
#include <ATen/core/GeneratorForPrivateuseone.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/version.h>

#include <array>
#include <atomic>

#include "device.h"
#include "generator.h"
#include "memory.h"

namespace sim_npu {
namespace {

using c10::DeviceIndex;
using c10::Stream;

// All streams of a card share its one clock, so an event is the promise that its card has been waited for.
struct Event {
  DeviceIndex device;
};

at::Device on(DeviceIndex index) {
  return at::Device(kNpu, index);
}

DeviceIndex index_of(at::Device device) {
  return device.has_index() ? device.index() : current_device();
}

// Functions without `override` do not exist in every LibTorch from 2.1 on.
class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  at::DeviceType type() const override { return kNpu; }
  at::Device exchangeDevice(at::Device device) const override {
    const at::Device before = getDevice();
    if (device.has_index()) set_current_device(device.index());
    return before;
  }
  at::Device getDevice() const override { return on(current_device()); }
  void setDevice(at::Device device) const override { set_current_device(index_of(device)); }
  void uncheckedSetDevice(at::Device device) const noexcept override { use_device(index_of(device)); }
  DeviceIndex deviceCount() const noexcept override { return device_count(); }

  Stream getStream(at::Device device) const noexcept override {
    const DeviceIndex index = index_of(device);
    return Stream(Stream::UNSAFE, on(index), current_stream(index));
  }
  Stream getDefaultStream(at::Device device) const override { return Stream(Stream::DEFAULT, on(index_of(device))); }
  Stream getStreamFromGlobalPool(at::Device device, bool = false) const override { return getNewStream(device, 0); }
  Stream getNewStream(at::Device device, int = 0) const {
    static std::atomic<c10::StreamId> next{1};
    return Stream(Stream::UNSAFE, on(index_of(device)), next++);
  }
  Stream exchangeStream(Stream stream) const noexcept override {
    const Stream before = getStream(stream.device());
    current_stream(index_of(stream.device())) = stream.id();
    return before;
  }
  bool queryStream(const Stream& stream) const override { return !is_busy(index_of(stream.device())); }
  void synchronizeStream(const Stream& stream) const override { synchronize(index_of(stream.device())); }
  void synchronizeDevice(DeviceIndex index) const { synchronize(index); }

  void record(void** event, const Stream& stream, DeviceIndex, c10::EventFlag) const override {
    if (*event == nullptr) *event = new Event{};
    static_cast<Event*>(*event)->device = index_of(stream.device());
  }
  void block(void*, const Stream&) const override {}
  bool queryEvent(void* event) const override {
    return event == nullptr || !is_busy(static_cast<Event*>(event)->device);
  }
  void synchronizeEvent(void* event) const {
    if (event != nullptr) synchronize(static_cast<Event*>(event)->device);
  }
  void destroyEvent(void* event, DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  void recordDataPtrOnStream(const c10::DataPtr&, const Stream&) const override {}

 private:
  static c10::StreamId& current_stream(DeviceIndex index) {
    thread_local std::array<c10::StreamId, 16> streams{};
    return streams.at(static_cast<size_t>(index));
  }
};

// As above; some bases declare a function const and some do not.
struct Hooks final : at::PrivateUse1HooksInterface {
  const at::Generator& getDefaultGenerator(DeviceIndex index) { return default_generator(index); }
  const at::Generator& getDefaultGenerator(DeviceIndex index) const { return default_generator(index); }
  at::Generator getNewGenerator(DeviceIndex index = -1) const { return new_generator(index); }
  at::Device getDeviceFromPtr(void*) const { return on(current_device()); }
  c10::Allocator* getPinnedMemoryAllocator() const { return c10::GetCPUAllocator(); }
  bool isPinnedPtr(const void*) const { return false; }
  bool hasPrimaryContext(DeviceIndex) const { return true; }
  bool isBuilt() const { return true; }
  bool isAvailable() const { return device_count() > 0; }
  void init() const {}
  void initPrivateUse1() const {}
  DeviceIndex deviceCount() const { return device_count(); }
  DeviceIndex getCurrentDevice() const { return current_device(); }
  void setCurrentDevice(DeviceIndex index) const { set_current_device(index); }
  DeviceIndex exchangeDevice(DeviceIndex index) const {
    const DeviceIndex before = current_device();
    set_current_device(index);
    return before;
  }
  DeviceIndex maybeExchangeDevice(DeviceIndex index) const {
    return index < 0 ? current_device() : exchangeDevice(index);
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const {
    c10::Storage twin = twin_of(storage);
    c10::DataPtr larger = c10::GetCPUAllocator()->allocate(bytes);
    if (const size_t kept = std::min(bytes, twin.nbytes()); kept > 0) std::memcpy(larger.get(), twin.data(), kept);
    twin.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(larger));
    twin.unsafeGetStorageImpl()->set_nbytes(bytes);
    follow_twin(storage, twin);
  }
};

#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 6
const at::_GeneratorRegister generators{[](DeviceIndex index) { return new_generator(index); }};
#endif

[[maybe_unused]] const bool registered = [] {
  c10::register_privateuse1_backend("npu");
  c10::SetAllocator(kNpu, allocator());
  static const c10::impl::DeviceGuardImplRegistrar guard(kNpu, new Guard);
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

}  // namespace
}  // namespace sim_npu

// What torch_npu exports for programs without Python, under the same names.
#define SIM_NPU_EXPORT __attribute__((visibility("default")))
namespace c10_npu {
SIM_NPU_EXPORT c10::DeviceIndex device_count() noexcept {
  return sim_npu::device_count();
}
SIM_NPU_EXPORT bool npuSynchronizeDevice(bool) {
  sim_npu::synchronize(sim_npu::current_device());
  return true;
}
namespace NPUCachingAllocator {
SIM_NPU_EXPORT void emptyCache(bool) {
  sim_npu::empty_cache();
}
}  // namespace NPUCachingAllocator
}  // namespace c10_npu
