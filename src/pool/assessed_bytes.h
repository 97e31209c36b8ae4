// An assessment as bytes of the protocol (protocol.h).
//
//   assessed = u8 word, f64 severity, clause, 3 optional errors (device, rounded, second), optional evidence
//   errors   = 4 f64, 2 i64; evidence = shape, 2 i64, u32 worst elements, 24 i64, u32 dimensions, each u32 f32
//   optional = u8, then the value if it is 1
#pragma once
#include "outcome/assessment.h"
#include "pool/bytes.h"

namespace msprobe::pool {

void put_assessed(Writer& out, const outcome::Assessed& assessed);
/// False: these are no such bytes.
bool get_assessed(Reader& in, outcome::Assessed& assessed);

}  // namespace msprobe::pool
