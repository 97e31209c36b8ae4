// A golden: what computes one operator, in the precision of its arguments.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "inputs/value.h"

namespace msprobe::goldens {

struct Golden {
  std::string name;    ///< "npu_swiglu"; "Functional.gelu" for an API that is none of the NPU's own
  std::string schema;  ///< as torch_npu registers it, without the namespace; empty: only the function itself knows it
  std::string source;  ///< where it comes from, for --list and Message: "built in", "Python golden.py:3"
  size_t judged = static_cast<size_t>(-1);  ///< only so many first outputs are compared
  bool users = false;                       ///< brought by a user, not built in
  /// Takes the arguments as recorded. Autograd runs through it, so gradients need no code of their own.
  std::function<inputs::Value(const inputs::Arguments&)> call = {};
  std::function<std::string()> remark = {};  ///< what Message says of it after a call; may be empty
};

}  // namespace msprobe::goldens
