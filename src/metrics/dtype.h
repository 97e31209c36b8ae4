// Element types of tensors as the figures see them.
#pragma once
#include <c10/core/ScalarType.h>

#include <string>
#include <string_view>

#include "metrics/kernel.h"

namespace msprobe::metrics {

enum class Kind { kFloat, kComplex, kInteger, kBool, kOther };

/// How one number lies in memory (complex: one component).
enum class Storage { kDouble, kSingle, kHalf, kBfloat16, kByteFloat, kSigned, kUnsigned, kBool, kOther };

struct Dtype {
  std::string_view name;  ///< "float16": torch's name without "torch."
  Kind kind = Kind::kOther;
  Storage storage = Storage::kOther;
  int bytes = 0;                       ///< of an element, both components of a complex one
  FloatFormat format{};                ///< floats and components of complex numbers
  const float* byte_values = nullptr;  ///< kByteFloat: the number that each of the 256 bytes stands for

  std::string torch_name() const { return "torch." + std::string(name); }
};

/// Types that hold no plain numbers (quantised, packed) are kOther, with LibTorch's own name.
const Dtype& dtype_of(at::ScalarType type);

}  // namespace msprobe::metrics
