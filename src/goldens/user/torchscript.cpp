#include "goldens/user/torchscript.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "goldens/own_gradient.h"
#include "goldens/user/bind_schema.h"
#include "goldens/user/python_golden.h"
#include "goldens/user/torchscript_compile.h"
#include "goldens/user/torchscript_errors.h"

namespace msprobe::goldens {
namespace {

using inputs::Arguments;
using inputs::Value;

std::string remedy_of(const UserOperator& op) {
  return std::filesystem::path(op.file).extension() == ".py"
             ? "; what TorchScript does not know plain Python does: say `kind: python`"
             : "; what TorchScript does not know plain Python does: put it into a .py file and say `kind: python`";
}

class TorchScript : public UsersGolden {
 public:
  TorchScript(const UserOperator& op, std::shared_ptr<PythonProcess> python) : op_(op), python_(std::move(python)) {}

  Value call(const Arguments& arguments) override {
    make_ready();
    if (by_python_) return call_python(arguments);
    if (op_.backward.empty()) return compiled_->call(op_.forward, arguments);
    // Autograd's graph may outlive this object.
    return with_own_gradient(arguments, [this](const Arguments& detached, Backward& backward) {
      backward = [compiled = compiled_, name = op_.backward, detached](const std::vector<at::Tensor>& gradients) {
        at::AutoGradMode off(false);
        return spread_gradients(name, compiled->call(name, gradients_first(gradients, detached)), detached);
      };
      return compiled_->call(op_.forward, detached);
    });
  }

  std::string remark() const override {
    return by_python_ ? "run by Python, since TorchScript does not take it: " + why_ : "";
  }

 private:
  void make_ready() {
    if (compiled_ || by_python_) return;
    try {
      compiled_ = compile(op_);
    } catch (const NotCompiled& e) {
      if (!op_.or_python) throw std::runtime_error(e.what() + remedy_of(op_));
      UserOperator plain = op_;
      plain.kind = Kind::kPython;
      by_python_ = python_golden(plain, python_);
      why_ = e.what();
    }
  }

  Value call_python(const Arguments& arguments) {
    try {
      return by_python_->call(arguments);
    } catch (const NoPython& e) {
      throw std::runtime_error("TorchScript does not take it (" + why_ + "), and " + e.what());
    }
  }

  const UserOperator op_;
  const std::shared_ptr<PythonProcess> python_;
  std::shared_ptr<CompiledScript> compiled_;
  std::unique_ptr<UsersGolden> by_python_;  // in place of compiled_
  std::string why_;                         // by_python_
};

}  // namespace

std::unique_ptr<UsersGolden> torchscript_golden(const UserOperator& op, std::shared_ptr<PythonProcess> python) {
  return std::make_unique<TorchScript>(op, std::move(python));
}

}  // namespace msprobe::goldens
