// Autocast around a device call, as torch.autocast(type, dtype) does it.
#pragma once
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <optional>

namespace msprobe::check {

/// Turns autocast on for `type` and restores the former state when destroyed. A dtype that torch.autocast would refuse
/// (anything but float16 and bfloat16) leaves it off, as in Python, which then only warns.
class AutocastScope {
 public:
  AutocastScope(c10::DeviceType type, std::optional<c10::ScalarType> dtype);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;
  bool active() const { return active_; }

 private:
  c10::DeviceType type_;
  bool active_ = false;
  bool was_enabled_ = false;
  c10::ScalarType former_ = c10::ScalarType::Undefined;
};

}  // namespace msprobe::check
