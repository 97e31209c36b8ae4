#include "faults.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <signal.h>
#include <torch/csrc/autograd/function.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "device.h"
#include "fault_plan.h"
#include "fault_values.h"
#include "memory.h"

namespace sim_npu {
namespace {

bool in_backward() {
  return torch::autograd::get_current_node() != nullptr;
}

double chance_of(const Fault& f, uint64_t call) {
  return static_cast<double>(mixed(plan().seed ^ f.salt ^ mixed(call)) >> 11) * 0x1p-53;
}

// A line in one write, so that several processes may share the file.
void log(const std::string& line) {
  if (plan().log.empty()) return;
  const int file = ::open(plan().log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  TORCH_CHECK(file >= 0, plan().log, ": the log of the simulated NPU's faults cannot be written");
  [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
  ::close(file);
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

}  // namespace

Launch::Launch(const c10::OperatorName& op, c10::DeviceIndex device) : name_(op.name), device_(device) {
  if (!op.overload_name.empty()) name_ += "." + op.overload_name;
  if (op.name != kCopyToHost) queue_work(device, plan().delay);
  for (const Fault& f : plan().faults) {
    if (f.device >= 0 && f.device != device) continue;
    if (!f.names(op)) continue;
    if (f.phase != Phase::kAny && (f.phase == Phase::kBackward) != in_backward()) continue;
    const uint64_t call = ++*f.counted;
    if (!f.calls.empty() && std::find(f.calls.begin(), f.calls.end(), call) == f.calls.end()) continue;
    if (f.chance < 1 && chance_of(f, call) >= f.chance) continue;
    log("npu:" + std::to_string(device) + " " + name_ + " call " + std::to_string(call) + " " + f.kind_name + "\n");
    hits_.push_back({&f, call});
  }
}

Launch Launch::of_copy_to_host(c10::DeviceIndex device) {
  return Launch({kCopyToHost, ""}, device);
}

void Launch::start() const {
  for (const Hit& hit : hits_) {
    switch (hit.fault->kind) {
      case Kind::kError:
        TORCH_CHECK(false, hit.fault->message);
      case Kind::kLateError:
        report_later(device_, hit.fault->message);
        break;
      case Kind::kOutOfMemory:
        exhaust_memory(device_);
        throw_out_of_memory(device_, size_t{1} << 40);
      case Kind::kAbort:
        std::abort();
      case Kind::kSegfault:
        ::raise(SIGSEGV);
        break;
      case Kind::kHang:
        sleep_for_ever();
      default:
        break;
    }
  }
}

bool Launch::changes_results() const {
  return std::any_of(hits_.begin(), hits_.end(), [](const Hit& hit) { return hit.fault->changes_results(); });
}

bool Launch::changes(size_t output) const {
  return std::any_of(hits_.begin(), hits_.end(), [output](const Hit& hit) {
    return hit.fault->changes_results() && (hit.fault->output < 0 || static_cast<size_t>(hit.fault->output) == output);
  });
}

at::Tensor Launch::change(at::Tensor result, size_t output, bool is_argument) const {
  for (const Hit& hit : hits_) {
    const Fault& f = *hit.fault;
    if (!f.changes_results() || (f.output >= 0 && static_cast<size_t>(f.output) != output)) continue;
    if (f.kind == Kind::kWrongShape) {
      TORCH_CHECK(!is_argument, "simulated fault: ", name_, " returns its argument, whose shape cannot be wrong");
      result = without_last_row(result);
    } else {
      change_values(f, result, hit.call);
    }
  }
  return result;
}

}  // namespace sim_npu
