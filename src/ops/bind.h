// Python's argument parser on one signature: which value goes to which schema argument, and as what.
#pragma once
#include <string>
#include <vector>

#include "inputs/value.h"
#include "ops/registry.h"
#include "signatures/signature.h"

namespace msprobe::ops {

using signatures::Kind;
using signatures::Parameter;
using signatures::Schema;
using signatures::Signature;

/// What the caller's side adds to the rules.
struct BindOptions {
  bool zero_reduction = false;  ///< a missing `reduction` is 0 ("none"): torch.x and torch._VF.x
};

/// A schema and its arguments, ready for a boxed call.
struct Bound {
  const Schema* schema = nullptr;
  std::vector<c10::IValue> stack;
  bool requires_grad = false;  ///< requires_grad=True of a factory: to be set on the result
};

/// Binds a call to one signature. False: no match, `*why` (when given) names the argument and what is wrong with it.
bool bind(const Signature& signature, const Arguments& arguments, const BindOptions& options, bool numbers,
          Bound& bound, std::string* why);

/// Binds to one schema as torch.ops.aten does: schema names only, none of the parser's aliases, varargs and list
/// gathering.
bool bind_schema(const Schema& schema, const Arguments& arguments, bool numbers, Bound& bound, std::string* why);

/// The call forms that Python's parser still takes: add(x, 2, y), addcmul(x, 2, a, b), addmm(1, x, 2, a, b). True when
/// `arguments` has one; `modern` is then the same call with keywords.
bool modernise(std::string_view name, const Arguments& arguments, Arguments& modern);

/// "(Tensor float32[2, 3], int 1, keepdim=bool true)"
std::string describe_arguments(const Arguments& arguments);

}  // namespace msprobe::ops
