// TorchScript, compiled by LibTorch in this process, interpreted without its optimizer, so that a first call and a
// second one give the same bits.
#pragma once
#include <memory>
#include <string>

#include "goldens/user/configuration.h"
#include "inputs/value.h"

namespace msprobe::goldens {

class CompiledScript {
 public:
  virtual ~CompiledScript() = default;
  /// Calls function or method `name`. Throws ops::NoMatch for arguments that do not fit, std::runtime_error
  /// ("file:line: its words") for what the call says.
  virtual inputs::Value call(const std::string& name, const inputs::Arguments& arguments) = 0;
};

/// Compiles op.text (kTorchScript; throws NotCompiled) or loads the module op.file (kModule; throws
/// std::runtime_error).
std::unique_ptr<CompiledScript> compile(const UserOperator& op);

}  // namespace msprobe::goldens
