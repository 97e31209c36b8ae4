// What LibTorch says of a golden in TorchScript, as "file:line: its words".
#pragma once
#include <stdexcept>
#include <string>

#include "goldens/user/configuration.h"

namespace msprobe::goldens {

/// TorchScript's compiler does not take the text.
struct NotCompiled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The beginning of what LibTorch says, up to where it names the place again.
std::string first_sentence(std::string text);

/// Throws NotCompiled for what the compiler said.
[[noreturn]] void rethrow_compiler(const std::string& what, const UserOperator& op);
/// Throws std::runtime_error for what the interpreter said.
[[noreturn]] void rethrow_interpreter(const std::string& what, const UserOperator& op);

}  // namespace msprobe::goldens
