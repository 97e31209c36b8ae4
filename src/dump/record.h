// One API of the dump: its forward entry and, where one was recorded, its backward entry.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dump/api_name.h"
#include "dump/argument.h"

namespace msprobe::dump {

struct ForwardRecord {
  ArgumentList args;                                     ///< input_args
  std::vector<std::pair<std::string, Argument>> kwargs;  ///< input_kwargs, in order
  std::optional<ArgumentList> output;                    ///< absent when the call raised
};

/// Gradients as the autograd node saw them (docs/formats.md#dumpjson: not aligned with the call's outputs and
/// arguments).
struct BackwardRecord {
  ArgumentList input;      ///< gradients of the node's outputs; NoneArg where none arrived
  ArgumentList output;     ///< gradients of the node's inputs
  std::string fault = {};  ///< why the entry cannot be read; the lists are empty then
};

struct Record {
  ApiName name;
  ForwardRecord forward;
  std::optional<BackwardRecord> backward;
};

/// Parses the JSON text of one forward / backward entry. `where` names file and key in errors.
/// Throws Error for JSON that is broken or not an object of the expected shape. An argument of a form nobody has seen
/// becomes UnknownArg; nesting beyond 400 levels is an Error.
ForwardRecord parse_forward(std::string_view json, const std::string& where);
BackwardRecord parse_backward(std::string_view json, const std::string& where);

}  // namespace msprobe::dump
