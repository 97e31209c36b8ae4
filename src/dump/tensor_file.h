// Tensors of dump_tensor_data/: torch.save files (.pt) and .npy, read by our own readers: mapped, zero copy, nothing
// executed, sizes and CRC checked (docs/formats.md#tensor-files).
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dump/dtype.h"

namespace msprobe::dump {

/// A tensor in a file. `data` points at element 0 of the view (storage offset already applied) and lives as long as
/// `owner`: private copy-on-write pages of the mapping, or a buffer. Writing to it never reaches the file.
struct TensorFile {
  Dtype dtype = Dtype::kFloat32;
  std::vector<int64_t> sizes, strides;  ///< strides in elements
  void* data = nullptr;
  int64_t storage_bytes = 0;  ///< bytes that may be read from `data` on
  bool requires_grad = false;
  bool conj = false, neg = false;  ///< the view's conjugate / negative bit
  std::shared_ptr<void> owner;
};

/// Reads `name` (a recorded data_name) from `dir`. .npy by its magic, else torch.save.
/// Throws Error that names the file: leads out of `dir` (.., absolute, symlink), not a regular file, missing,
/// truncated, foreign, CRC wrong, a pickle that asks for anything but tensor rebuilding, sparse or quantised tensors.
TensorFile read_tensor_file(const std::string& dir, const std::string& name);

/// One torch.save file by path (no folder check); tests and tools.
TensorFile read_pt(const std::string& path);
TensorFile read_npy(const std::string& path);

}  // namespace msprobe::dump
