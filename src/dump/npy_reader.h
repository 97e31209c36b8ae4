// .npy files from memory (format of numpy.lib.format, versions 1 to 3).
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "dump/tensor_file.h"

namespace msprobe::dump {

/// Whether `file` begins like one.
bool is_npy(std::string_view file);

/// Reads the array that lies at [data, data + size): numbers and booleans of either byte order, either memory order.
/// The result points into it where alignment and byte order allow and keeps `owner` alive. Throws Error{where, ...}:
/// cut off, too long, objects (dtype 'O', a pickle), structures, text, dates, a shape beyond the file.
TensorFile read_npy(char* data, size_t size, std::shared_ptr<void> owner, const std::string& where);

}  // namespace msprobe::dump
