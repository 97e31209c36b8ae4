// Looks one parameter of a recorded call up, by keyword or by the place that Python's signature gives it.
#pragma once
#include <optional>
#include <string_view>

#include "dump/api_name.h"
#include "inputs/value.h"

namespace msprobe::ops {

struct Asked {
  bool known = false;                    ///< the API, called with these arguments, has a parameter of that name
  const inputs::Value* value = nullptr;  ///< nullptr: left out
  std::optional<size_t> place = {};      ///< given by position: which
};

Asked ask(const dump::ApiName& name, const inputs::Arguments& arguments, std::string_view parameter);

}  // namespace msprobe::ops
