// Names of Python's modules as TorchScript's compiler may take them: torch.nn.functional.x and math.x are not always
// the operator aten::x.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::goldens {

/// A function of torch.nn.functional whose first parameters are those of the ATen operator of its name, in order and
/// with the same defaults. Beyond them the two differ: elu's third is `inplace` in Python and `scale` in ATen.
struct FunctionalName {
  std::string_view name;
  size_t positional;                       ///< so many arguments by position mean the same
  std::vector<std::string_view> keywords;  ///< and these keywords
};
/// nullptr: a call of it could mean something else to ATen, or there is no such operator.
const FunctionalName* find_functional(std::string_view name);
const std::vector<FunctionalName>& functional_names();

/// The operator of math.x, without "aten::"; empty where there is none of the same meaning.
std::string operator_of_math(std::string_view name);

}  // namespace msprobe::goldens
