// Where a recorded name leads: namespaces, dunder methods. Tables of names, no operators yet.
#pragma once
#include <string_view>

#include "config/api_names.h"
#include "dump/api_name.h"

namespace msprobe::signatures {

/// config::python_name of a recorded name.
config::PythonName python_name(const dump::ApiName& name);

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

}  // namespace msprobe::signatures
