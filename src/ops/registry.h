// From a recorded name to something callable (docs/binding.md).
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dump/record.h"
#include "inputs/value.h"

namespace msprobe::ops {

using inputs::Arguments;
using inputs::Value;

/// The arguments do not fit: names the API, the argument, what came and what the schemas take. Binding only; an
/// exception of the call itself passes through as LibTorch threw it.
struct NoMatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One way to call an API. Several exist where the name alone does not decide (lost namespaces, tuple or list of
/// indices).
struct Candidate {
  std::string how;  ///< "aten::add", "linalg_norm", "adaptor cross_entropy", "index list as one tensor"
  /// Calls it on tensors of one device. Results: tensor, list, number, string, or None. In-place calls change the
  /// argument.
  std::function<Value(const Arguments&)> call;
  /// Only so many first outputs are compared (npu_fusion_attention: the others are the kernel's own bookkeeping).
  size_t judged_outputs = static_cast<size_t>(-1);
};

/// All ways to call `name`, in the order in which to try them; empty: nothing of that name exists in this LibTorch.
std::vector<Candidate> candidates(const dump::ApiName& name, const Arguments& arguments);

/// How the call would be made, for --list: "aten::add.Tensor", "adaptor: cross_entropy -> aten::cross_entropy_loss";
/// throws NoMatch when no candidate binds. Needs no data beyond shapes and dtypes (meta tensors do).
std::string describe(const dump::ApiName& name, const Arguments& arguments);

/// The operators that ran in the last call of a Candidate on this thread: "aten::add.Tensor aten::mul.Tensor".
std::string last_operators();

// ---- for adaptors
// -----------------------------------------------------------------------------------------------------

/// Calls aten::`name` as Python would with these arguments: overloads in Python's order, the binder's conveniences.
///   aten("softmax", {x, dim, dtype})          aten("div", {x, y}, {{"rounding_mode", "floor"}})
Value aten(std::string_view name, std::vector<Value> args, std::vector<std::pair<std::string, Value>> kwargs = {});
/// Same, where the one result is a tensor.
at::Tensor aten_t(std::string_view name, std::vector<Value> args,
                  std::vector<std::pair<std::string, Value>> kwargs = {});
/// A given overload: aten_overload("upsample_bilinear2d", "vec", {...}); arguments by position, None for absent
/// optionals.
Value aten_overload(std::string_view name, std::string_view overload, std::vector<Value> args);
/// True when aten::`name` exists in this LibTorch.
bool exists(std::string_view name);

/// Arguments of a Python function: parameters in Python's order with Python's defaults, filled by position and keyword.
/// A declaration is text: "input, p=0.5, training=True, reduction='mean', *, stride=None, eps=1e-05, size=[]".
/// Throws NoMatch naming the parameter for a missing, repeated or unknown argument.
class PythonCall {
 public:
  PythonCall(std::string_view function, std::string_view declaration, const Arguments& arguments);
  const Value& operator[](std::string_view parameter) const;
  bool has(std::string_view parameter) const;  ///< declared, and not None

  at::Tensor tensor(std::string_view parameter) const;  ///< NoMatch when it is no tensor
  int64_t integer(std::string_view parameter) const;
  double number(std::string_view parameter) const;  ///< int, float, bool, 0-dim tensor
  bool boolean(std::string_view parameter) const;   ///< None counts as false
  std::string string(std::string_view parameter) const;
  std::vector<int64_t> integers(std::string_view parameter, size_t n = 0) const;  ///< a lone int is repeated n times

 private:
  [[noreturn]] void wrong(std::string_view parameter, std::string_view expected) const;
  std::string function_;
  std::vector<std::pair<std::string, Value>> values_;
};

using Adaptor = std::function<Value(const Arguments&)>;
/// Registers an adaptor for "Functional.cross_entropy", "Tensor.__getitem__", ... Static objects do this at start-up.
struct AdaptorRegistration {
  AdaptorRegistration(std::initializer_list<const char*> names, Adaptor adaptor);
};
/// Registers table rows "Functional.dropout(input, p=0.5, training=True) -> dropout train=training", one a line.
struct RowRegistration {
  explicit RowRegistration(const char* rows);
};
/// The adaptor of "Type.name", or nullptr.
const Adaptor* find_adaptor(std::string_view type_and_name);
/// Names of all adaptors, sorted ("Functional.cross_entropy", ...).
std::vector<std::string> adaptor_names();

#define MSPROBE_CONCAT_(a, b) a##b
#define MSPROBE_CONCAT(a, b) MSPROBE_CONCAT_(a, b)
/// MSPROBE_ADAPTOR("Functional.softsign") { PythonCall c(...); return ...; }   with `arguments` in scope.
#define MSPROBE_ADAPTOR(...)                                                                                   \
  static ::msprobe::ops::Value MSPROBE_CONCAT(adaptor_, __LINE__)(const ::msprobe::ops::Arguments& arguments); \
  static const ::msprobe::ops::AdaptorRegistration MSPROBE_CONCAT(registration_, __LINE__)(                    \
      {__VA_ARGS__}, MSPROBE_CONCAT(adaptor_, __LINE__));                                                      \
  static ::msprobe::ops::Value MSPROBE_CONCAT(adaptor_, __LINE__)(const ::msprobe::ops::Arguments& arguments)

}  // namespace msprobe::ops
