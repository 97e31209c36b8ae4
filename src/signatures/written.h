// What an operator writes to besides its outputs, as its schema says.
#pragma once
#include <string>
#include <vector>

#include "dump/api_name.h"
#include "signatures/call_shape.h"

namespace msprobe::signatures {

/// Parameters marked as written to, `(a!)`, of the first overload that takes a call of this shape, those of out=
/// excepted; `self` of an in-place form is among them. Empty: the schema says of none, or nothing of that name is
/// known.
std::vector<std::string> written_parameters(const dump::ApiName& api, const CallShape& call);

}  // namespace msprobe::signatures
