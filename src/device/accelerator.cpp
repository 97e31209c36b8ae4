#include "device/accelerator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/Allocator.h>
#include <c10/util/Exception.h>
#if __has_include(<c10/core/CachingDeviceAllocator.h>)
#include <c10/core/CachingDeviceAllocator.h>
#endif

#include <mutex>

#include "device/library.h"

namespace c10 {
struct DeviceAllocator;  // left incomplete by LibTorch before 2.9
}

namespace msprobe::device {
namespace {

// Not every LibTorch has these; the first branch that compiles is the best there is.
template <class Guard>
void wait_for_device(const Guard& guard, at::Device device) {
  if constexpr (requires { guard.synchronizeDevice(device.index()); })
    guard.synchronizeDevice(device.index());
  else
    guard.synchronizeStream(guard.getStream(device));
}

template <class Guard>
void wait_for_stream(const Guard& guard, at::Device device) {
  guard.synchronizeStream(guard.getStream(device));
}

// True when the allocator of the kind is of the interface that can be asked to give its cache back.
template <class Allocator>
bool empty_through_interface(at::DeviceType kind) {
  if constexpr (requires(Allocator * a) {
                  sizeof(Allocator);
                  a->emptyCache();
                }) {
    if (auto* caching = dynamic_cast<Allocator*>(c10::GetAllocator(kind))) {
      caching->emptyCache();
      return true;
    }
  }
  return false;
}

// A backend that leaves a function of an interface out says it in one of these ways.
bool says_unsupported(const c10::Error& e) {
  const std::string text = e.what_without_backtrace();
  for (const char* words : {"Backend doesn't support", "Backend doesn`t support", "PrivateUse1HooksInterface"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

void seed_generator(at::Generator generator, uint64_t seed) {
  std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

}  // namespace

Accelerator::Accelerator(std::string type, at::DeviceType kind, int index)
    : type_(std::move(type)), device_(kind, static_cast<c10::DeviceIndex>(index)), guard_(kind) {
  guard_.setDevice(device_);
  try {
    seed_generator(at::globalContext().defaultGenerator(device_), 0);
  } catch (const c10::Error& e) {
    if (!says_unsupported(e)) throw;
    has_generator_ = false;
  }
  try {
    Accelerator::synchronize();
  } catch (const c10::Error& e) {
    if (!says_unsupported(e)) throw;
    can_wait_ = false;
  }
}

void Accelerator::synchronize() {
  if (!can_wait_) return;
  try {
    wait_for_device(guard_, device_);
  } catch (const c10::Error& e) {
    if (!says_unsupported(e)) throw;
    wait_for_stream(guard_, device_);  // all work of a check is on the current stream
  }
}

void Accelerator::empty_cache() {
  if (empty_through_interface<c10::DeviceAllocator>(device_.type())) return;
  // Backends older than the interface, where their function is not hidden.
  if (auto* npu = exported_function<void(bool)>("_ZN7c10_npu19NPUCachingAllocator10emptyCacheEb")) {
    if (device_.is_privateuseone()) npu(true);
  } else if (auto* cuda = exported_function<void()>("_ZN3c104cuda20CUDACachingAllocator10emptyCacheEv")) {
    if (device_.is_cuda()) cuda();
  }
  // Without either, the backend's allocator gives its cache back by itself before it reports an out of memory.
}

void Accelerator::seed(uint64_t seed) {
  seed_generator(at::detail::getDefaultCPUGenerator(), seed);
  if (has_generator_) seed_generator(at::globalContext().defaultGenerator(device_), seed);
}

std::vector<std::string> Accelerator::describe() const {
  std::vector<std::string> lines{"device: " + type_ + ":" + std::to_string(device_.index())};
  if (!has_generator_) lines.push_back(type_ + ": no random generator of its own, it draws from the CPU's");
  return lines;
}

int count_devices(at::DeviceType kind) {
  return c10::impl::hasDeviceGuardImpl(kind) ? c10::impl::VirtualGuardImpl(kind).deviceCount() : 0;
}

}  // namespace msprobe::device
