#include "goldens/user/python_golden.h"

#include <ATen/ATen.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "goldens/own_gradient.h"
#include "goldens/schema_text.h"
#include "ops/python_declaration.h"
#include "ops/registry.h"

namespace msprobe::goldens {
namespace {

using inputs::Arguments;
using inputs::Value;

// A forward call that the other process keeps for its gradients, for as long as autograd's graph lives.
struct Kept {
  Kept(std::shared_ptr<PythonProcess> python, uint64_t number) : python_(std::move(python)), number_(number) {}
  ~Kept() { python_->drop(number_); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  uint64_t number() const { return number_; }

 private:
  std::shared_ptr<PythonProcess> python_;
  uint64_t number_;
};

// Those of the schema in order, by position up to its "*", defaults filled in.
Arguments bound_by_schema(const UserOperator& op, const Arguments& arguments) {
  if (op.schema.empty()) return arguments;
  const std::string parameters = python_parameters(op.schema);
  const ops::PythonCall call(op.name, parameters, arguments);
  Arguments out;
  for (const auto& p : ops::find_declaration(parameters).parameters) {
    if (p.keyword_only)
      out.kwargs.emplace_back(p.name, call[p.name]);
    else
      out.args.push_back(call[p.name]);
  }
  return out;
}

// Answers lie on the CPU; the golden may stand for a device.
Value moved(Value value, const at::Device& device) {
  if (!device.is_cpu())
    inputs::for_each_tensor(value, [&](at::Tensor& t) {
      if (t.defined()) t = t.to(device);
    });
  return value;
}

at::Device device_of(const Arguments& arguments) {
  at::Device device(at::kCPU);
  Arguments copy = arguments;
  inputs::for_each_tensor(copy, [&](at::Tensor& t) {
    if (t.defined() && !t.is_cpu()) device = t.device();
  });
  return device;
}

bool wants_gradient(const Arguments& arguments) {
  bool wanted = false;
  Arguments copy = arguments;
  inputs::for_each_tensor(copy, [&](at::Tensor& t) { wanted |= t.defined() && t.requires_grad(); });
  return wanted;
}

class PythonGolden : public UsersGolden {
 public:
  PythonGolden(const UserOperator& op, std::shared_ptr<PythonProcess> python) : op_(op), python_(std::move(python)) {}

  Value call(const Arguments& recorded) override {
    const Arguments arguments = bound_by_schema(op_, recorded);
    const bool keep = at::GradMode::is_enabled() && wants_gradient(arguments);
    return with_own_gradient(arguments, [&](const Arguments& detached, Backward& backward) {
      uint64_t number = 0;
      Value result = python_->forward({op_.file, op_.forward, op_.backward, keep}, detached, number);
      if (keep) backward = backward_of(number, detached);
      return moved(std::move(result), device_of(detached));
    });
  }

 private:
  // Autograd's graph, which holds it, may outlive this object.
  Backward backward_of(uint64_t number, const Arguments& detached) const {
    auto kept = std::make_shared<Kept>(python_, number);
    return [op = op_, python = python_, kept, detached](const std::vector<at::Tensor>& gradients) {
      const Value found = python->backward(kept->number(), gradients);
      if (found.is_none() && op.backward.empty())
        throw std::runtime_error("the golden (" + op.source() +
                                 ") has no gradient: its outputs do not depend on the inputs for autograd; name a "
                                 "function for it with backward");
      return spread_gradients(op.backward.empty() ? op.forward : op.backward, found, detached);
    };
  }

  const UserOperator op_;
  const std::shared_ptr<PythonProcess> python_;
};

}  // namespace

std::unique_ptr<UsersGolden> python_golden(const UserOperator& op, std::shared_ptr<PythonProcess> python) {
  return std::make_unique<PythonGolden>(op, std::move(python));
}

}  // namespace msprobe::goldens
