#include "device/accelerator.h"
#include "device/backends.h"
#include "device/library.h"
#include "device/torch_npu.h"
#include "util/error.h"

namespace msprobe::device {
namespace {

constexpr int kAclOpJitCompile = 10;  // ACL_OP_JIT_COMPILE of CANN's acl_op_compiler.h

// Tells CANN whether it may compile operators for the shapes at hand, or takes those that it ships.
std::string set_jit_compile(bool on) {
  const std::string setting = on ? "on" : "off";
  auto* set = exported_function<int(int, const char*)>("aclSetCompileopt");
  if (set == nullptr)
    return "npu: jit_compile cannot be set, no loaded library has aclSetCompileopt (libacl_op_compiler.so)";
  if (const int code = set(kAclOpJitCompile, on ? "enable" : "disable"); code != 0)
    return "npu: jit_compile could not be turned " + setting + ", aclSetCompileopt gives " + std::to_string(code);
  return "npu: jit_compile " + setting;
}

class Npu : public Accelerator {
 public:
  Npu(const TorchNpu& found, int index)
      : Accelerator("npu", at::kPrivateUse1, index),
        library_(found.library + (found.version.empty() ? "" : ", torch_npu " + found.version)) {}

  void synchronize() override {
    // torch_npu's own waits for every stream and reads the device's error flag.
    static auto* const wait = exported_function<bool(bool)>("_ZN7c10_npu20npuSynchronizeDeviceEb");
    if (wait != nullptr)
      wait(/*check_error=*/true);
    else
      Accelerator::synchronize();
  }

  void add_lines(std::vector<std::string> lines) { lines_ = std::move(lines); }

  std::vector<std::string> describe() const override {
    auto lines = Accelerator::describe();
    lines[0] += " (" + library_ + ")";
    lines.insert(lines.end(), lines_.begin(), lines_.end());
    return lines;
  }

 private:
  std::string library_;
  std::vector<std::string> lines_;
};

}  // namespace

int count_npu() {
  // noexcept in torch_npu; the guard's own count starts the device there.
  if (auto* count = exported_function<c10::DeviceIndex()>("_ZN7c10_npu12device_countEv")) return count();
  return count_devices(at::kPrivateUse1);
}

std::unique_ptr<Device> open_npu(const TorchNpu& found, int index, bool jit_compile) {
  auto lines = start_torch_npu(found, index, jit_compile);
  auto device = std::make_unique<Npu>(found, index);
  // What Python would set is set here for a library that needs none.
  if (!lines) lines = {set_jit_compile(jit_compile), "npu: HF32 is left as the library has it"};
  device->add_lines(std::move(*lines));
  return device;
}

}  // namespace msprobe::device
