// What a call looks like, whether it was recorded or rebuilt: enough to tell which of an API's signatures it follows.
#pragma once
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "dump/record.h"

namespace msprobe::signatures {

enum class Form {
  kNone,
  kTensor,
  kTensors,  ///< a list with a tensor first
  kList,     ///< a list of anything else; `kEmptyList` fits any
  kEmptyList,
  kInteger,
  kFloating,
  kBool,
  kText,
  kOther,  ///< dtype, device, slice, ...
};

/// Views of the call that it was made of, which must outlive it.
struct CallShape {
  std::vector<Form> args;
  std::vector<std::pair<std::string_view, Form>> kwargs;
};

CallShape shape_of(const dump::ForwardRecord& call);

}  // namespace msprobe::signatures
