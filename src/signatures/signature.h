// What Python's argument parser sees of an operator: its schemas, paired with their out= twins, in Python's order.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::signatures {

/// Types of schema arguments. SymInt counts as int; `symbolic` keeps the difference for the order of overloads.
enum class Kind : uint8_t {
  kTensor,
  kScalar,
  kFloat,
  kInt,
  kBool,
  kString,
  kIntList,
  kFloatList,
  kBoolList,
  kScalarList,
  kTensorList,
  kOptionalTensorList,
  kScalarType,
  kLayout,
  kDevice,
  kMemoryFormat,
  kGenerator,
  kUnsupported,
};

/// One argument of a schema.
struct Parameter {
  std::string name;
  Kind kind = Kind::kUnsupported;
  bool symbolic = false;  ///< SymInt, SymInt[]
  bool optional = false;
  bool keyword_only = false;
  bool is_out = false;   ///< written to, by keyword
  bool written = false;  ///< its tensors are marked as written to, `(a!)`
  int size = 0;          ///< n of int[n]; 0: none stated
  bool has_default = false;
  c10::IValue default_value;
  std::string type;          ///< "int[]", "SymInt", "Tensor", without "?" and size
  std::string default_text;  ///< as the schema prints it

  /// May be left out of a call although the schema has no default: what torch fills in by itself.
  bool is_tensor_option() const;
  /// "int[2]? dim=None"
  std::string text(std::string_view shown_name) const;
};

/// One schema of the dispatcher.
struct Schema {
  explicit Schema(const c10::OperatorHandle& operator_handle) : handle(operator_handle) {}

  std::string name;      ///< "add" for aten::add, "npu::x" outside of aten
  std::string overload;  ///< "" for the plain one
  c10::OperatorHandle handle;
  std::vector<Parameter> parameters;
  size_t outs = 0;  ///< parameters with is_out
  bool is_out = false;
  bool generated = false;  ///< exists for the compiler's sake; Python's parser does not know it
  int result_dtypes = 0;   ///< bit i: result i is a ScalarType

  std::string full_name() const;  ///< "aten::add.Tensor"
};

/// A functional schema with its out= twin, read as Python reads it.
struct Signature {
  const Schema* base = nullptr;
  const Schema* out = nullptr;  ///< may be `base` itself: a schema that exists with out= alone
  bool method = false;
  int self = -1;                ///< place of a method's `self` in base->parameters
  std::vector<int> order;       ///< the others, those by position first
  size_t max_positional = 0;    ///< of `order`
  std::vector<int> to_out;      ///< place of base's parameter in out->parameters, -1: not there
  std::vector<int> out_places;  ///< places of the out tensors in out->parameters
  int tensor_list = -1;         ///< place in `order` of the only tensor list given by position
  bool varargs = false;         ///< f(2, 3) for f([2, 3]): one positional parameter, an int list
  std::string text;             ///< "add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)"

  /// `self` is `input` to callers of a function.
  std::string_view shown_name(const Parameter& parameter) const;
};

/// All that is known of one operator name.
struct Operator {
  std::vector<std::unique_ptr<Schema>> schemas;  ///< as registered; schemas with unsupported arguments left out
  std::vector<Signature> functions, methods;     ///< in the order in which Python tries them
  size_t most_positional = 0;                    ///< arguments that any of `functions` takes by position
  bool takes_numbers = false;                    ///< a number may stand for a tensor (add, mul, ...)
};

/// Reads all schemas of a name and orders them (find_operator keeps the answer); nullptr: none has that name.
std::unique_ptr<Operator> read_operator(std::string_view name);

/// The operator aten::`name`, or `name` itself where it holds "::"; nullptr when the dispatcher has none of that name.
/// Built once a name, lives for ever; safe from any thread.
const Operator* find_operator(std::string_view name);

}  // namespace msprobe::signatures
