// What the pickle of a saved tensor says: which storage, and how the tensor lies in it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dump/dtype.h"
#include "dump/pickle_reader.h"

namespace msprobe::dump {

/// A storage that lies in another place of the file.
struct StorageRef {
  std::string key;             ///< name of its record
  std::optional<Dtype> dtype;  ///< absent: untyped, counted in bytes
  int64_t count = 0;           ///< elements, or bytes when untyped

  int64_t element_size() const { return dtype ? dtype_size(*dtype) : 1; }
};

struct TensorPlan {
  StorageRef storage;
  Dtype dtype = Dtype::kFloat32;
  int64_t offset = 0;                   ///< elements, from the storage's begin
  std::vector<int64_t> sizes, strides;  ///< equally many; none negative
  bool requires_grad = false, conj = false, neg = false;
};

/// Reads the plan out of a pickle of torch.save. Parameters and subclasses of Tensor are tensors; their attributes and
/// hooks are ignored. Throws Error{where, ...} when the pickle is anything but one strided tensor, asks for any module
/// but those that rebuild tensors, or contradicts itself.
TensorPlan read_tensor_plan(const Pickle& pickle, const std::string& where);

/// The storage that a persistent id names. Throws Error.
StorageRef read_storage_ref(const PickleNode& persistent, const std::string& where);

/// Where the tensor lies in a storage of `storage_bytes`, in bytes from its begin. Throws Error{where, ...} when a
/// size, stride or offset leads beyond the storage or beyond int64.
int64_t checked_offset(const TensorPlan& plan, int64_t storage_bytes, const std::string& where);

}  // namespace msprobe::dump
