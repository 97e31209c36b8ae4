#include "goldens/first_argument.h"

namespace msprobe::goldens {

bool names_the_first(std::string_view name) {
  return name == "self" || name == "input" || name == "x";
}

bool rename_first(inputs::Arguments& arguments, std::string_view first) {
  if (!arguments.args.empty() || !names_the_first(first)) return false;
  for (auto& [name, value] : arguments.kwargs) {
    if (name == first || !names_the_first(name)) continue;
    name = first;
    return true;
  }
  return false;
}

}  // namespace msprobe::goldens
