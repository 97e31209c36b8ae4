// Writes one tensor as a file that Python's torch.load(weights_only=True) reads. Free of LibTorch: bytes in, file out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace msprobe::report {

/// `dtype` as "torch.float16" (any dtype of dump/dtype.h), contiguous `data` of product(sizes) elements.
/// `requires_grad` is kept for the floating dtypes with which torch.load can rebuild it: not for float8 and complex32.
/// Written to a temporary name and renamed. Throws Error (path, need) when it cannot be written.
void write_pt(const std::string& path, const std::string& dtype, const std::vector<int64_t>& sizes, const void* data,
              uint64_t bytes, bool requires_grad);

}  // namespace msprobe::report
