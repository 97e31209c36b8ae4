// Touches every element of a tensor that a reader returned, so that AddressSanitizer sees a wrong extent.
#pragma once
#include <vector>

#include "dump/tensor_file.h"
#include "target.h"

namespace msprobe::fuzz {

/// Walks up to a million elements by their strides.
inline uint64_t read_all(const dump::TensorFile& tensor) {
  require(tensor.sizes.size() == tensor.strides.size(), "sizes and strides of different counts");
  const int64_t width = dump::dtype_size(tensor.dtype);
  for (const int64_t size : tensor.sizes)
    if (size == 0) return 0;
  require(tensor.data != nullptr, "elements without an address");
  require(reinterpret_cast<uintptr_t>(tensor.data) % static_cast<size_t>(width >= 8 ? 8 : width) == 0,
          "elements at an address that their type does not allow");
  std::vector<int64_t> at(tensor.sizes.size(), 0);
  uint64_t sum = 0;
  for (int count = 0; count < 1'000'000; ++count) {
    int64_t offset = 0;
    for (size_t i = 0; i < at.size(); ++i) offset += at[i] * tensor.strides[i];
    require(offset >= 0 && (offset + 1) * width <= tensor.storage_bytes, "an element outside the storage");
    const auto* byte = static_cast<const unsigned char*>(tensor.data) + offset * width;
    for (int64_t i = 0; i < width; ++i) sum += byte[i];
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == tensor.sizes[d - 1]) at[--d] = 0;
    if (d == 0) break;
  }
  return sum;
}

}  // namespace msprobe::fuzz
