// From JSON to Argument: every form of docs/formats.md#one-argument, to a depth of kMaxNesting.
#pragma once
#include <string>

#include "dump/argument.h"
#include "dump/json_reader.h"

namespace msprobe::dump {

/// Levels of lists, tuples and dicts inside one argument.
constexpr size_t kMaxNesting = 400;

/// Reads one argument. Plain JSON numbers, booleans and strings are builtins. Throws Error{where, ...} when nested
/// deeper than kMaxNesting; any form nobody has seen becomes UnknownArg.
Argument read_argument(const JsonValue& json, const std::string& where);

/// Reads a list of arguments. null: empty (an older dump); anything but a list: one argument.
ArgumentList read_arguments(const JsonValue& json, const std::string& where);

}  // namespace msprobe::dump
