#include <ATen/Context.h>

#include <type_traits>

#include "device/accelerator.h"
#include "device/backends.h"
#include "util/error.h"

namespace msprobe::device {
namespace {

const char* on_off(bool on) {
  return on ? "on" : "off";
}

// A bool in older LibTorch, since then an enum whose first value is "allowed".
template <class Option>
bool allowed(Option option) {
  if constexpr (std::is_same_v<Option, bool>)
    return option;
  else
    return static_cast<int>(option) == 0;
}

// Precision settings stay as PyTorch has them by default, as they were in the training that was dumped.
class Cuda : public Accelerator {
 public:
  explicit Cuda(int index) : Accelerator("cuda", at::kCUDA, index) {}
  std::vector<std::string> describe() const override {
    const auto& context = at::globalContext();
    auto lines = Accelerator::describe();
    lines.push_back(std::string("cuda: TF32 in matrix products ") + on_off(context.allowTF32CuBLAS()) +
                    ", in convolutions " + on_off(context.allowTF32CuDNN()) +
                    "; reduced-precision reductions: float16 " + on_off(allowed(context.allowFP16ReductionCuBLAS())) +
                    ", bfloat16 " + on_off(allowed(context.allowBF16ReductionCuBLAS())));
    return lines;
  }
};

}  // namespace

int count_cuda() {
  return count_devices(at::kCUDA);
}

bool libtorch_has_cuda() {
  return c10::impl::hasDeviceGuardImpl(at::kCUDA);
}

std::unique_ptr<Device> open_cuda(int index) {
  return std::make_unique<Cuda>(index);
}

}  // namespace msprobe::device
