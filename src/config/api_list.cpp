#include "config/api_list.h"

#include <algorithm>

namespace msprobe::config {

bool ApiList::has(const ApiNames& api) const {
  return !empty() && std::any_of(api.begin(), api.end(), [&](const std::string& name) { return has_entry(name); });
}

}  // namespace msprobe::config
