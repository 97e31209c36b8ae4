// Goldens of fused NPU operators (docs/fused-operators.md): one file an operator in npu/, which ends in MSPROBE_FUSED.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "goldens/golden.h"
#include "ops/registry.h"

namespace msprobe::goldens {

/// The arguments of one call, by the names of the operator's schema; absent ones have the schema's default.
using Call = ops::PythonCall;

/// By name; the same from the first look on, since static objects alone register.
const std::map<std::string, Golden, std::less<>>& built_in();
/// The one of `name`, or nullptr.
const Golden* find_built_in(std::string_view name);

/// A static object that tells of one golden.
class Registration {
 public:
  using Function = ops::Value (*)(const Call&);
  /// `judged`: so many first outputs are compared, the others are the kernel's own bookkeeping.
  Registration(const char* schema, Function function, size_t judged = static_cast<size_t>(-1));
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  Golden golden() const;
  const Registration* next() const { return next_; }
  static const Registration* first() { return first_; }

 private:
  static const Registration* first_;  // written before main() alone
  const char* schema_;
  Function function_;
  size_t judged_;
  const Registration* next_;
};

/// MSPROBE_FUSED("npu_mish(Tensor input) -> Tensor") { return x * ...; }   with `call` in scope. A second argument
/// limits how many outputs are judged.
#define MSPROBE_FUSED(...) MSPROBE_FUSED_AT(__COUNTER__, __VA_ARGS__)
#define MSPROBE_FUSED_AT(n, ...) MSPROBE_FUSED_IN(n, __VA_ARGS__)
#define MSPROBE_FUSED_IN(n, ...)                                                                               \
  static ::msprobe::ops::Value golden_##n(const ::msprobe::goldens::Call& call);                               \
  static const ::msprobe::goldens::Registration registration_##n(MSPROBE_FUSED_ARGS(golden_##n, __VA_ARGS__)); \
  static ::msprobe::ops::Value golden_##n(const ::msprobe::goldens::Call& call)
#define MSPROBE_FUSED_ARGS(f, ...) MSPROBE_FUSED_PICK(__VA_ARGS__, MSPROBE_FUSED_2, MSPROBE_FUSED_1, )(f, __VA_ARGS__)
#define MSPROBE_FUSED_PICK(a, b, pick, ...) pick
#define MSPROBE_FUSED_1(f, schema) schema, f
#define MSPROBE_FUSED_2(f, schema, judged) schema, f, judged

}  // namespace msprobe::goldens
