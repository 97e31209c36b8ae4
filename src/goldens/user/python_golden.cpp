#include "goldens/user/python_golden.h"

#include <ATen/ATen.h>

#include <memory>
#include <stdexcept>

#include "goldens/own_gradient.h"
#include "goldens/schema_text.h"
#include "goldens/user/python_process.h"
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

}  // namespace

std::function<Value(const Arguments&)> python_golden(const UserOperator& op, std::shared_ptr<PythonProcess> python) {
  auto golden = std::make_shared<UserOperator>(op);
  return [golden, python = std::move(python)](const Arguments& recorded) {
    const Arguments arguments = bound_by_schema(*golden, recorded);
    const bool keep = at::GradMode::is_enabled() && wants_gradient(arguments);
    return with_own_gradient(arguments, [golden, python, keep](const Arguments& detached, Backward& backward) {
      uint64_t number = 0;
      Value result = python->forward({golden->file, golden->forward, golden->backward, keep}, detached, number);
      if (keep) {
        auto kept = std::make_shared<Kept>(python, number);
        backward = [golden, python, kept, detached](const std::vector<at::Tensor>& gradients) {
          const std::string& name = golden->backward.empty() ? golden->forward : golden->backward;
          const Value found = python->backward(kept->number(), gradients);
          if (found.is_none() && golden->backward.empty())
            throw std::runtime_error("the golden (" + golden->source() +
                                     ") has no gradient: its outputs do not depend on the inputs for autograd; name a "
                                     "function for it with backward");
          return spread_gradients(name, found, detached);
        };
      }
      return moved(std::move(result), device_of(detached));
    });
  };
}

}  // namespace msprobe::goldens
