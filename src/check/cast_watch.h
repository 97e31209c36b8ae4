// Which arguments autocast rounds before the operator sees them, observed while the call runs. Dtypes do not tell:
// layer_norm of a bfloat16 input and float32 weights rounds nothing, linear rounds its weight, and
// multi_head_attention_forward rounds inside.
#pragma once
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <memory>
#include <set>

#include "inputs/value.h"

namespace msprobe::check {

struct Rounded {
  std::set<size_t> tensors;  ///< places among the tensors of the arguments, in order (inputs::for_each_tensor)
  at::ScalarType dtype = at::ScalarType::Undefined;
};

struct WatchedCasts;

/// While one lives, it notes which tensors of `arguments` (views of them included) autocast of `type` casts to `dtype`
/// on this thread. A cast that the program itself makes (`half`, `type`) is none of autocast's. `arguments` must
/// outlive it; one at a time.
class CastWatch {
 public:
  CastWatch(inputs::Arguments& arguments, c10::DeviceType type, at::ScalarType dtype);
  ~CastWatch();
  CastWatch(const CastWatch&) = delete;
  CastWatch& operator=(const CastWatch&) = delete;
  const Rounded& rounded() const;

 private:
  std::unique_ptr<WatchedCasts> watched_;
};

/// `rounded`, and the tensors of `recorded` that have the dtype, shape and values of one that it holds: a tensor that
/// the program gave twice stands in the dump as two, of which a replay that finds them equal uses the first
/// (self-attention).
Rounded with_twins(const inputs::Arguments& recorded, Rounded rounded);

/// `golden` (raised or not), its tensors of those places rounded to the dtype; leaves stay leaves.
void round_as_autocast(const Rounded& rounded, inputs::Arguments& golden);

}  // namespace msprobe::check
