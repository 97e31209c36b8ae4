// What torch.nn.functional's Python code refuses before it calls an operator. LibTorch's operators take some of these
// calls, a Python program cannot have gone on behind one.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "dump/api_name.h"
#include "ops/registry.h"

namespace msprobe::ops {

/// "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 3])", the words of
/// PyTorch 2.13; nullopt: nothing is refused that shapes, dtypes and numbers show. Values of tensors are not looked at.
std::optional<std::string> python_refusal(const dump::ApiName& name, const Arguments& arguments);

// ---- for the checks

/// Python's exception.
struct Refused {
  std::string kind, words;
};
[[noreturn]] void value_error(std::string words);
[[noreturn]] void runtime_error(std::string words);
[[noreturn]] void assertion_error(std::string words);
[[noreturn]] void not_implemented(std::string words);

/// Registers the check of functions of torch.nn.functional with one declaration (registry.h, PythonCall). It throws
/// Refused, in the order in which Python looks; NoMatch, for a call that does not fit, refuses nothing.
struct RefusalRegistration {
  using Check = void (*)(const PythonCall&);
  RefusalRegistration(std::initializer_list<const char*> functions, const char* declaration, Check check);
};

// ---- values as Python writes them

/// "torch.Size([1, 3])"
std::string size_text(at::IntArrayRef sizes);
/// "[1, 3]"
std::string list_text(at::IntArrayRef numbers);
/// "(1, 3)", "(3,)"
std::string tuple_text(at::IntArrayRef numbers);
/// A list or tuple, which dumps write alike, as a tuple; torch.Size, numbers, text and None as they are.
std::string python_text(const Value& value);

/// An unknown reduction; size_average and reduce overrule it.
void check_reduction(const PythonCall& call, bool with_batchmean = false);

}  // namespace msprobe::ops
