// Where a recorded name leads: namespaces, dunder methods, in-place forms. Tables of names, no operators yet.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "config/api_names.h"
#include "dump/api_name.h"
#include "inputs/value.h"

namespace msprobe::ops {

using config::PythonName;
using config::without_overload;
PythonName python_name(const dump::ApiName& name);

enum class DunderKind {
  kMethod,    ///< x.add(y)
  kFunction,  ///< torch.rsub(x, y)
  kSwapped,   ///< torch.pow(y, x)
};
struct Dunder {
  std::string_view name;  ///< "iadd" of __iadd__
  std::string_view aten;  ///< "add_"
  DunderKind kind;
};
/// The operator of `__add__` and its like; nullptr for names that are no such method.
const Dunder* find_dunder(std::string_view name);

/// What `inplace` of a torch.nn.functional call is: by keyword, or as that function's last positional parameter.
/// nullopt where the call does not say. `position` is set when it was given by position.
std::optional<bool> functional_inplace(std::string_view name, const inputs::Arguments& arguments,
                                       std::optional<size_t>* position = nullptr);

}  // namespace msprobe::ops
