#include "goldens/user/torchscript_names.h"

#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/sugared_value.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "goldens/user/python_names.h"
#include "inputs/value.h"

namespace msprobe::goldens {
namespace {

namespace jit = torch::jit;

std::shared_ptr<jit::SugaredValue> constant(jit::GraphFunction& m, const jit::SourceRange& where,
                                            const c10::IValue& v) {
  return std::make_shared<jit::SimpleValue>(m.graph()->insertConstant(v, where));
}

std::shared_ptr<jit::SugaredValue> builtin(const std::string& name) {
  // The type of "no self" has another name in older LibTorch.
  return std::make_shared<jit::BuiltinFunction>(c10::Symbol::fromQualString("aten::" + name),
                                                decltype(jit::BuiltinFunction::self)());
}

bool is_number(const std::string& name) {
  return name == "pi" || name == "e" || name == "inf" || name == "nan";
}

std::shared_ptr<jit::SugaredValue> number(jit::GraphFunction& m, const jit::SourceRange& where,
                                          const std::string& name) {
  if (name == "pi") return constant(m, where, 3.14159265358979323846);
  if (name == "e") return constant(m, where, 2.71828182845904523536);
  if (name == "inf") return constant(m, where, std::numeric_limits<double>::infinity());
  return constant(m, where, std::numeric_limits<double>::quiet_NaN());
}

// torch.linalg.norm is aten::linalg_norm.
struct Namespace : jit::SugaredValue {
  explicit Namespace(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string kind() const override { return "module"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange&, jit::GraphFunction&,
                                          const std::string& field) override {
    return builtin(prefix_ + field);
  }

 private:
  std::string prefix_;
};

struct Math : jit::SugaredValue {
  std::string kind() const override { return "module"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& where, jit::GraphFunction& m,
                                          const std::string& field) override {
    if (is_number(field)) return number(m, where, field);
    const std::string name = operator_of_math(field);
    if (name.empty()) throw jit::ErrorReport(where) << "math." << field << " is not known to TorchScript";
    return builtin(name);
  }
};

// What of a call would mean something else to the operator of that name is refused.
struct FunctionalCall : jit::SugaredValue {
  explicit FunctionalCall(const FunctionalName& name) : name_(name) {}
  std::string kind() const override { return "builtin"; }
  std::shared_ptr<jit::SugaredValue> call(const jit::SourceRange& where, jit::GraphFunction& m,
                                          at::ArrayRef<jit::NamedValue> args, at::ArrayRef<jit::NamedValue> kwargs,
                                          size_t binders) override {
    if (args.size() > name_.positional)
      throw jit::ErrorReport(where) << "F." << name_.name << " takes " << name_.positional
                                    << " arguments by position in TorchScript, got " << args.size();
    for (const auto& kwarg : kwargs)
      if (std::find(name_.keywords.begin(), name_.keywords.end(), kwarg.name()) == name_.keywords.end())
        throw jit::ErrorReport(where) << "F." << name_.name << " takes no " << kwarg.name() << "= in TorchScript";
    return builtin(std::string(name_.name))->call(where, m, args, kwargs, binders);
  }

 private:
  const FunctionalName& name_;
};

struct Functional : jit::SugaredValue {
  std::string kind() const override { return "module"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& where, jit::GraphFunction&,
                                          const std::string& field) override {
    if (const FunctionalName* known = find_functional(field)) return std::make_shared<FunctionalCall>(*known);
    throw jit::ErrorReport(where) << "F." << field << " is not known to TorchScript, or has other arguments there";
  }
};

struct Nn : jit::SugaredValue {
  std::string kind() const override { return "module"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& where, jit::GraphFunction&,
                                          const std::string& field) override {
    if (field == "functional") return std::make_shared<Functional>();
    throw jit::ErrorReport(where) << "torch.nn." << field << " is not known here, only torch.nn.functional is";
  }
};

struct Torch : jit::SugaredValue {
  std::string kind() const override { return "module"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& where, jit::GraphFunction& m,
                                          const std::string& field) override {
    if (field == "nn") return std::make_shared<Nn>();
    if (field == "linalg" || field == "special" || field == "fft") return std::make_shared<Namespace>(field + "_");
    if (is_number(field)) return number(m, where, field);
    if (const auto dtype = inputs::parse_scalar_type(field)) return constant(m, where, static_cast<int64_t>(*dtype));
    return builtin(field);
  }
};

struct PythonNames : jit::Resolver {
  explicit PythonNames(const UserOperator& op) : integers(op.integers), floats(op.floats) {}
  std::map<std::string, int64_t> integers;
  std::map<std::string, double> floats;

  std::shared_ptr<jit::SugaredValue> resolveValue(const std::string& name, jit::GraphFunction& m,
                                                  const jit::SourceRange& where) override {
    if (const auto i = integers.find(name); i != integers.end()) return constant(m, where, i->second);
    if (const auto f = floats.find(name); f != floats.end()) return constant(m, where, f->second);
    if (name == "torch") return std::make_shared<Torch>();
    if (name == "math") return std::make_shared<Math>();
    if (name == "F") return std::make_shared<Functional>();
    for (const char* raised : {"ValueError", "TypeError", "RuntimeError", "IndexError", "KeyError",
                               "NotImplementedError", "AssertionError", "Exception"})
      if (name == raised) return std::make_shared<jit::ExceptionValue>(name);
    return nullptr;
  }
  c10::TypePtr resolveType(const std::string&, const jit::SourceRange&) override { return nullptr; }
};

}  // namespace

jit::ResolverPtr python_names(const UserOperator& op) {
  return std::make_shared<PythonNames>(op);
}

}  // namespace msprobe::goldens
