#include "signatures/written.h"

#include "signatures/overload.h"

namespace msprobe::signatures {

std::vector<std::string> written_parameters(const dump::ApiName& api, const CallShape& call) {
  std::vector<std::string> written;
  for (const Overload& overload : overloads(api)) {
    if (!overload.takes(call)) continue;
    for (const Parameter* parameter : overload.parameters)
      if (parameter->written && !parameter->keyword_only) written.push_back(parameter->name);
    break;
  }
  return written;
}

}  // namespace msprobe::signatures
