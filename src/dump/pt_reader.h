// torch.save files from memory: zip archives (torch 1.6 and later) and the bare pickles before them.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "dump/tensor_file.h"

namespace msprobe::dump {

/// Reads the tensor of a torch.save file that lies at [data, data + size). The result points into it where alignment
/// allows (torch aligns to 64 bytes) and keeps `owner` alive. Throws Error{where, ...} as read_tensor_file does.
TensorFile read_pt(char* data, size_t size, std::shared_ptr<void> owner, const std::string& where);

/// The part for files older than torch 1.6.
TensorFile read_legacy_pt(char* data, size_t size, std::shared_ptr<void> owner, const std::string& where);
/// Whether `file` begins like one.
bool is_legacy_pt(std::string_view file);

struct TensorPlan;
/// The tensor of `plan`, whose storage is [storage, storage + bytes).
TensorFile place_tensor(const TensorPlan& plan, char* storage, int64_t bytes, std::shared_ptr<void> owner,
                        const std::string& where);

}  // namespace msprobe::dump
