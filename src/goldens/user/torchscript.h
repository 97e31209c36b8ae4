// Goldens written in TorchScript, as text or as a module that torch.jit.save wrote: compiled by LibTorch in this
// process, interpreted without its optimizer, so that a first call and a second one give the same bits.
#pragma once
#include <functional>
#include <memory>

#include "goldens/user/configuration.h"
#include "inputs/value.h"

namespace msprobe::goldens {

class PythonProcess;

struct TorchScriptGolden {
  std::function<inputs::Value(const inputs::Arguments&)> call;
  std::function<std::string()> remark;  ///< after a call: that Python ran it, and why; else empty
};

/// The golden of `op` (kTorchScript or kModule), compiled at its first call and kept. Autograd runs through it unless
/// op.backward names a function. Errors of the compiler and of the call: std::runtime_error "file:line: its words".
/// What the compiler does not take is run by `python` where op.or_python allows it.
TorchScriptGolden torchscript_golden(const UserOperator& op, std::shared_ptr<PythonProcess> python);

}  // namespace msprobe::goldens
