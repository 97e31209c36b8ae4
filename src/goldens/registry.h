// NPU fused operators: their schemas and references (docs/fused-operators.md). One file an operator; adding one is
// adding a file that ends in MSPROBE_FUSED.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "device/device.h"
#include "dump/api_name.h"
#include "ops/registry.h"

namespace msprobe::goldens {

/// The arguments of one call, by the names of the operator's schema; absent ones have the schema's default.
using Call = ops::PythonCall;
/// Computes the operator in the precision of its arguments. Autograd runs through it, so gradients need no code of
/// their own.
using Reference = std::function<ops::Value(const Call&)>;

struct Operator {
  std::string name;    ///< "npu_swiglu"
  std::string schema;  ///< as torch_npu registers it, without the namespace
  Reference reference;
  std::string source;                       ///< where the reference comes from, for --list: "built in", or a file
  size_t judged = static_cast<size_t>(-1);  ///< only so many first outputs are compared
  /// A user's golden (user.h): called with the arguments as recorded, since it brings its own signature. Empty:
  /// `reference` is called.
  std::function<ops::Value(const inputs::Arguments&)> direct = {};
  std::function<std::string()> remark = {};  ///< what Message says of `direct` after a call; may be empty
};

/// Ways to call `NPU.name`. golden: the reference, in the precision of its arguments. Device side: the real npu::
/// operator on an NPU, the reference in recorded precision elsewhere. Empty: no reference is known and none is
/// configured. APIs of other types have candidates here only as golden, where a user brought one.
std::vector<ops::Candidate> candidates(const dump::ApiName& name, const inputs::Arguments& arguments, bool golden,
                                       const device::Device& device);

/// Why `candidates` has none, for a Message.
std::string nothing_to_call(const dump::ApiName& name);

/// The reference of `name`, or nullptr.
const Operator* find(std::string_view name);
/// All of them, by name.
std::vector<const Operator*> all();
/// Python's parameter list of a schema: "Tensor input, int dim=-1" becomes "input, dim=-1".
std::string python_parameters(std::string_view schema);

/// The name that an API's golden goes by: "npu_swiglu", or "Functional.gelu" for other types than NPU's.
std::string golden_name(const dump::ApiName& name);
/// Puts a user's golden in, in place of one of that name (golden_name). Before the first fork; not while APIs are
/// checked.
void install(Operator op);
/// The user's golden of an API, of whatever type; nullptr where there is none.
const Operator* users_golden(const dump::ApiName& name);

struct Registration {
  Registration(const char* schema, Reference reference, size_t judged = static_cast<size_t>(-1));
};

/// MSPROBE_FUSED("npu_mish(Tensor input) -> Tensor") { return x * ...; }   with `call` in scope. A second argument
/// limits how many outputs are judged.
#define MSPROBE_FUSED(...) MSPROBE_FUSED_AT(__COUNTER__, __VA_ARGS__)
#define MSPROBE_FUSED_AT(n, ...) MSPROBE_FUSED_IN(n, __VA_ARGS__)
#define MSPROBE_FUSED_IN(n, ...)                                                                                  \
  static ::msprobe::ops::Value reference_##n(const ::msprobe::goldens::Call& call);                               \
  static const ::msprobe::goldens::Registration registration_##n(MSPROBE_FUSED_ARGS(reference_##n, __VA_ARGS__)); \
  static ::msprobe::ops::Value reference_##n(const ::msprobe::goldens::Call& call)
#define MSPROBE_FUSED_ARGS(f, ...) MSPROBE_FUSED_PICK(__VA_ARGS__, MSPROBE_FUSED_2, MSPROBE_FUSED_1, )(f, __VA_ARGS__)
#define MSPROBE_FUSED_PICK(a, b, pick, ...) pick
#define MSPROBE_FUSED_1(f, schema) schema, f
#define MSPROBE_FUSED_2(f, schema, judged) schema, f, judged

// ---- for references
// ---------------------------------------------------------------------------------------------------

/// Several results.
inline ops::Value results(std::vector<ops::Value> items) {
  return ops::Value(inputs::List{std::move(items), false});
}
/// The tensor, or an undefined one where None was given.
at::Tensor optional_tensor(const Call& call, std::string_view parameter);
/// Gradients of `f` at `inputs` for the output gradient `grad`, undefined where none arrives; whatever the grad mode.
std::vector<at::Tensor> gradients(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f,
                                  const std::vector<at::Tensor>& inputs, const at::Tensor& grad);
/// Statistics come in float32 from half precision inputs, as the NPU gives them; float64 stays.
at::ScalarType statistics_dtype(const at::Tensor& input);

}  // namespace msprobe::goldens
