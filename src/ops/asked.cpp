#include "ops/asked.h"

#include "inputs/places.h"
#include "signatures/find_argument.h"

namespace msprobe::ops {

Asked ask(const dump::ApiName& name, const inputs::Arguments& arguments, std::string_view parameter) {
  const signatures::Found found =
      signatures::find_argument(config::installed_api_facts(), name, inputs::shape_of(arguments), parameter);
  if (!found.place) return {found.known};
  const bool by_position = !found.place->keyword;
  return {true, &inputs::at(arguments, *found.place), by_position ? std::optional(found.place->index) : std::nullopt};
}

}  // namespace msprobe::ops
