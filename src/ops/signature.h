// The dispatcher's schemas, as this room speaks of them.
#pragma once
#include "signatures/signature.h"

namespace msprobe::ops {

using signatures::find_operator;
using signatures::Kind;
using signatures::Operator;
using signatures::Parameter;
using signatures::read_operator;
using signatures::Schema;
using signatures::Signature;

}  // namespace msprobe::ops
