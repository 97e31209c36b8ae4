#include "check/autocast.h"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace msprobe::check {
namespace {

// One spelling for the interface before and after LibTorch 2.4, which made it take the device type.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
bool enabled(c10::DeviceType t) {
  return at::autocast::is_autocast_enabled(t);
}
void enable(c10::DeviceType t, bool on) {
  at::autocast::set_autocast_enabled(t, on);
}
c10::ScalarType dtype_of(c10::DeviceType t) {
  return at::autocast::get_autocast_dtype(t);
}
void set_dtype(c10::DeviceType t, c10::ScalarType d) {
  at::autocast::set_autocast_dtype(t, d);
}
#else
bool enabled(c10::DeviceType t) {
  if (t == c10::kCPU) return at::autocast::is_cpu_enabled();
  if (t == c10::kCUDA) return at::autocast::is_enabled();
  return at::autocast::is_privateuseone_enabled();
}
void enable(c10::DeviceType t, bool on) {
  if (t == c10::kCPU)
    at::autocast::set_cpu_enabled(on);
  else if (t == c10::kCUDA)
    at::autocast::set_enabled(on);
  else
    at::autocast::set_privateuseone_enabled(on);
}
c10::ScalarType dtype_of(c10::DeviceType t) {
  if (t == c10::kCPU) return at::autocast::get_autocast_cpu_dtype();
  if (t == c10::kCUDA) return at::autocast::get_autocast_gpu_dtype();
  return at::autocast::get_autocast_privateuseone_dtype();
}
void set_dtype(c10::DeviceType t, c10::ScalarType d) {
  if (t == c10::kCPU)
    at::autocast::set_autocast_cpu_dtype(d);
  else if (t == c10::kCUDA)
    at::autocast::set_autocast_gpu_dtype(d);
  else
    at::autocast::set_autocast_privateuseone_dtype(d);
}
#endif

}  // namespace

AutocastScope::AutocastScope(c10::DeviceType type, std::optional<c10::ScalarType> dtype) : type_(type) {
  if (!dtype || (*dtype != c10::kHalf && *dtype != c10::kBFloat16)) return;
  active_ = true;
  was_enabled_ = enabled(type_);
  former_ = dtype_of(type_);
  enable(type_, true);
  set_dtype(type_, *dtype);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  enable(type_, was_enabled_);
  set_dtype(type_, former_);
}

}  // namespace msprobe::check
