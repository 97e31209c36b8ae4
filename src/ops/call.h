// Boxed calls of operators, with the values of Python calls.
#pragma once
#include <string>
#include <string_view>

#include "dump/api_name.h"
#include "inputs/value.h"
#include "ops/bind.h"
#include "ops/registry.h"

namespace msprobe::ops {

enum class Road {
  kFunction,  ///< torch.x: overloads in Python's order
  kMethod,    ///< Tensor.x
  kPacket,    ///< torch.ops.aten.x: overloads as registered
};

/// Names of the adaptors registered as further ways of "Tensor.__getitem__": "Tensor.__getitem__#list", ... sorted.
std::vector<std::string> further_adaptors(const std::string& type_and_name);

/// Which operator to call, and as whom.
struct Target {
  std::string shown;  ///< the API, for messages: "Torch.add"
  std::string name;   ///< "add"; with "::" for another namespace
  Road road = Road::kFunction;
  BindOptions options;
  bool any_overload = true;  ///< kPacket: false binds `overload` alone
  std::string overload;
};

/// Binds and calls. Throws NoMatch when nothing of that name takes these arguments; what the call throws passes
/// through.
Value call_operator(const Target& target, const Arguments& arguments);

/// The schema that call_operator would take. Throws NoMatch. Reads no data of tensors other than 0-dim ones.
const Schema* choose_schema(const Target& target, const Arguments& arguments);

/// Runs a bound call and takes its results apart: one value, several as a list, none as None.
Value run_bound(Bound&& bound);

/// The operators called on this thread since the last clear_trace().
void clear_trace();
std::string trace_text();

/// While one lives on this thread no operator runs: the first call of an adaptor ends in Stopped, its operator traced.
class DryRun {
 public:
  struct Stopped {};
  DryRun();
  ~DryRun();
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;
  static bool active();

 private:
  bool before_;
};

}  // namespace msprobe::ops
