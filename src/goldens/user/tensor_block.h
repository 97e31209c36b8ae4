// Values of a call as the JSON text and the block of memory in which they travel to a golden's Python process and back.
#pragma once
#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "inputs/value.h"

namespace msprobe::goldens {

/// Collects the tensors of a message; they lie one behind the other in a memfd, aligned to 64 bytes.
class TensorBlock {
 public:
  /// The value as JSON. Floats are texts, since JSON knows neither nan nor inf.
  nlohmann::json encode(const inputs::Value& value);
  /// Descriptor of the tensors' bytes, to be closed by the caller; -1 when there are none. Throws std::runtime_error.
  int write() const;

 private:
  nlohmann::json encode_tensor(const at::Tensor& tensor);
  std::vector<std::pair<size_t, at::Tensor>> tensors_;
  size_t size_ = 0;
};

/// Reads an answer: its tensors are views of the memory behind `descriptor` (-1: none), which is taken over.
/// Throws std::runtime_error for what no such answer can hold.
inputs::Value decode_answer(const nlohmann::json& json, int descriptor);

}  // namespace msprobe::goldens
