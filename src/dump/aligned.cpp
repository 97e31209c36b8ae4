#include "dump/aligned.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace msprobe::dump {

void make_own_copy(TensorFile& file) {
  constexpr std::align_val_t kAlignment{64};
  const auto bytes = static_cast<size_t>(file.storage_bytes);
  std::shared_ptr<char> buffer(static_cast<char*>(::operator new(std::max<size_t>(bytes, 1), kAlignment)),
                               [](char* data) { ::operator delete(data, kAlignment); });
  std::memcpy(buffer.get(), file.data, bytes);
  file.data = buffer.get();
  file.owner = std::move(buffer);
}

void make_aligned(TensorFile& file) {
  const auto alignment = static_cast<uintptr_t>(std::min<int64_t>(dtype_size(file.dtype), alignof(double)));
  if (reinterpret_cast<uintptr_t>(file.data) % alignment != 0) make_own_copy(file);
}

}  // namespace msprobe::dump
