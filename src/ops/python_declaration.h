// Declarations of Python functions as text: "input, p=0.5, reduction='mean', *, size=[]".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "inputs/value.h"

namespace msprobe::ops {

using inputs::Value;

struct DeclaredParameter {
  std::string name;
  bool keyword_only = false;
  bool has_default = false;
  Value default_value;
};

struct Declaration {
  std::vector<DeclaredParameter> parameters;
  size_t positional = 0;  ///< parameters before "*"
};

/// The declaration of `text`; parsed once, lives for ever, safe from any thread. std::logic_error where it is broken.
const Declaration& find_declaration(std::string_view text);

/// None, True, 'text', 3, 0.5, [1, 2]. std::logic_error for anything else.
Value parse_literal(std::string_view text);

}  // namespace msprobe::ops
