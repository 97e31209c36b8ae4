// Records and tensors in words, the same as the Python scripts of tests/data/dump write them: an independent reader.
#pragma once
#include <string>

#include "dump/record.h"
#include "dump/tensor_file.h"

namespace msprobe::dump {

std::string describe(const Statistic& statistic);
std::string describe(const Argument& argument);
std::string describe(const ArgumentList& list);
std::string describe(const ForwardRecord& record);
std::string describe(const BackwardRecord& record);

/// "dtype (sizes) (strides) requires_grad conj neg hex", the bytes of the elements in the order of their indices.
std::string describe(const TensorFile& tensor);

}  // namespace msprobe::dump
