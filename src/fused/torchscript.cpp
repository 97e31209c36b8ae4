#include "fused/torchscript.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/frontend/tree_views.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>

#include "fused/bind_schema.h"
#include "fused/own_gradient.h"
#include "ops/convert.h"

namespace msprobe::fused {
namespace {

namespace jit = torch::jit;
using inputs::Arguments;
using inputs::Value;

// ---- names that a Python file takes for granted, and LibTorch's compiler does not know without Python

std::shared_ptr<jit::SugaredValue> constant(jit::GraphFunction& m, const jit::SourceRange& where,
                                            const c10::IValue& v) {
  return std::make_shared<jit::SimpleValue>(m.graph()->insertConstant(v, where));
}

std::shared_ptr<jit::SugaredValue> builtin(const std::string& name) {
  // The type of "no self" has another name in older LibTorch.
  return std::make_shared<jit::BuiltinFunction>(c10::Symbol::fromQualString("aten::" + name),
                                                decltype(jit::BuiltinFunction::self)());
}

// torch.linalg.norm is aten::linalg_norm, F.silu is aten::silu, math.sqrt is aten::sqrt.
struct Namespace : jit::SugaredValue {
  explicit Namespace(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string kind() const override { return "module"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& where, jit::GraphFunction& m,
                                          const std::string& field) override {
    if (field == "pi") return constant(m, where, 3.14159265358979323846);
    if (field == "e") return constant(m, where, 2.71828182845904523536);
    if (field == "inf") return constant(m, where, std::numeric_limits<double>::infinity());
    if (field == "nan") return constant(m, where, std::numeric_limits<double>::quiet_NaN());
    if (prefix_ == "nn.") {
      if (field == "functional") return std::make_shared<Namespace>("");
      throw jit::ErrorReport(where) << "torch.nn." << field << " is not known here, only torch.nn.functional is";
    }
    return builtin(prefix_ + field);
  }

 private:
  std::string prefix_;
};

struct Torch : jit::SugaredValue {
  std::string kind() const override { return "module"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& where, jit::GraphFunction& m,
                                          const std::string& field) override {
    if (field == "nn") return std::make_shared<Namespace>("nn.");
    if (field == "linalg" || field == "special" || field == "fft") return std::make_shared<Namespace>(field + "_");
    if (field == "pi" || field == "e" || field == "inf" || field == "nan") return Namespace("").attr(where, m, field);
    if (const auto dtype = inputs::parse_scalar_type(field)) return constant(m, where, static_cast<int64_t>(*dtype));
    return builtin(field);
  }
};

struct Names : jit::Resolver {
  explicit Names(const UserOperator& op) : integers(op.integers), floats(op.floats) {}
  std::map<std::string, int64_t> integers;
  std::map<std::string, double> floats;

  std::shared_ptr<jit::SugaredValue> resolveValue(const std::string& name, jit::GraphFunction& m,
                                                  const jit::SourceRange& where) override {
    if (const auto i = integers.find(name); i != integers.end()) return constant(m, where, i->second);
    if (const auto f = floats.find(name); f != floats.end()) return constant(m, where, f->second);
    if (name == "torch") return std::make_shared<Torch>();
    if (name == "math" || name == "F") return std::make_shared<Namespace>("");
    for (const char* raised : {"ValueError", "TypeError", "RuntimeError", "IndexError", "KeyError",
                               "NotImplementedError", "AssertionError", "Exception"})
      if (name == raised) return std::make_shared<jit::ExceptionValue>(name);
    return nullptr;
  }
  c10::TypePtr resolveType(const std::string&, const jit::SourceRange&) override { return nullptr; }
};

// ---- errors

std::string first_sentence(std::string text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.erase(0, 1);
  // What follows names the place again, with the source around it.
  for (const char* mark : {":\n  File \"", "\n  File \"", "\nException raised from"})
    if (const size_t at = text.find(mark); at != std::string::npos) text.resize(at);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == ':')) text.pop_back();
  return text;
}

// LibTorch writes: File "x.py", line 3. The last is the innermost.
std::string place_in(const std::string& text, const std::string& otherwise) {
  const size_t file = text.rfind("File \"");
  const size_t line = file == std::string::npos ? file : text.find("\", line ", file);
  if (line == std::string::npos) return otherwise;
  // The end of a line counts as the begin of the next one there.
  const int number = std::atoi(text.c_str() + line + 8) - (text.find("found 'newline'") != std::string::npos ? 1 : 0);
  return text.substr(file + 6, line - file - 6) + ":" + std::to_string(number);
}

[[noreturn]] void rethrow_compiler(const std::string& what, const UserOperator& op) {
  throw std::runtime_error(place_in(what, op.file) + ": " + first_sentence(what));
}

[[noreturn]] void rethrow_interpreter(const std::string& what, const UserOperator& op) {
  constexpr std::string_view kRaised = "\nRuntimeError: ";
  const size_t raised = what.rfind(kRaised);
  std::string words = raised == std::string::npos ? first_sentence(what) : what.substr(raised + kRaised.size());
  // An exception that the golden itself raises comes as "torch.jit.Error: Raise: ..." or with its class.
  throw std::runtime_error(place_in(what, op.file) + ": " + first_sentence(words));
}

// ---- compiled goldens

class Compiled {
 public:
  virtual ~Compiled() = default;
  /// Calls function or method `name`.
  virtual Value call(const std::string& name, const Arguments& arguments) = 0;
};

Value run(jit::Function& function, const std::string& shown, std::vector<c10::IValue> stack, const Arguments& arguments,
          size_t skip, const UserOperator& op) {
  auto bound = bind_schema(shown, function.getSchema(), arguments, skip);
  stack.insert(stack.end(), std::make_move_iterator(bound.begin()), std::make_move_iterator(bound.end()));
  jit::GraphOptimizerEnabledGuard plain(false);
  try {
    function.run(stack);
  } catch (const std::exception& e) {
    rethrow_interpreter(e.what(), op);
  }
  return stack.empty() ? Value() : ops::to_value(stack.back());
}

class CompiledText : public Compiled {
 public:
  explicit CompiledText(const UserOperator& op) : op_(op), unit_(std::make_shared<jit::CompilationUnit>()) {
    try {
      jit::Parser parser(std::make_shared<jit::Source>(op.text, op.file, static_cast<size_t>(op.text_line)));
      std::vector<jit::Def> definitions;
      std::vector<jit::ResolverPtr> resolvers;
      const auto names = std::make_shared<Names>(op);
      while (parser.lexer().cur().kind != jit::TK_EOF) {
        definitions.emplace_back(jit::Def(parser.parseFunction(/*is_method=*/false)));
        resolvers.push_back(names);
      }
      unit_->define({}, {}, {}, definitions, resolvers, nullptr);
    } catch (const std::exception& e) {
      rethrow_compiler(e.what(), op);
    }
  }

  Value call(const std::string& name, const Arguments& arguments) override {
    jit::Function* function = unit_->find_function(c10::QualifiedName(name));
    if (function == nullptr) throw std::runtime_error(op_.file + ": no function " + name);
    return run(*function, name, {}, arguments, 0, op_);
  }

 private:
  UserOperator op_;
  std::shared_ptr<jit::CompilationUnit> unit_;
};

class CompiledModule : public Compiled {
 public:
  explicit CompiledModule(const UserOperator& op) : op_(op) {
    try {
      module_ = jit::load(op.file, at::Device(at::kCPU));
      module_.eval();
    } catch (const std::exception& e) {
      throw std::runtime_error(op.file + " is no module that torch.jit.save wrote: " + first_sentence(e.what()));
    }
  }

  Value call(const std::string& name, const Arguments& arguments) override {
    jit::Module module = in_precision_of(arguments);
    const auto method = module.find_method(name);
    if (!method) throw std::runtime_error(op_.file + ": the module has no method " + name);
    std::vector<c10::IValue> self{module._ivalue()};
    return run(method->function(), name, std::move(self), arguments, 1, op_);
  }

 private:
  // Weights follow the precision and the device of the arguments, as the golden's rule wants it.
  jit::Module in_precision_of(const Arguments& arguments) const {
    Arguments copy = arguments;
    std::optional<at::TensorOptions> wanted;
    inputs::for_each_tensor(copy, [&](at::Tensor& t) {
      if (!wanted && t.defined() && at::isFloatingType(t.scalar_type()) && t.element_size() > 1) wanted = t.options();
    });
    if (!wanted || (module_.parameters().size() == 0 && module_.buffers().size() == 0)) return module_;
    jit::Module module = module_.deepcopy();
    module.to(wanted->device(), c10::typeMetaToScalarType(wanted->dtype()), /*non_blocking=*/false);
    return module;
  }

  UserOperator op_;
  jit::Module module_;
};

}  // namespace

std::function<Value(const Arguments&)> torchscript_golden(const UserOperator& op) {
  struct Golden {
    UserOperator op;
    std::unique_ptr<Compiled> compiled;
  };
  auto golden = std::make_shared<Golden>(Golden{op, nullptr});
  return [golden](const Arguments& arguments) {
    if (!golden->compiled) {
      if (golden->op.language == Language::kModule)
        golden->compiled = std::make_unique<CompiledModule>(golden->op);
      else
        golden->compiled = std::make_unique<CompiledText>(golden->op);
    }
    if (golden->op.backward.empty()) return golden->compiled->call(golden->op.forward, arguments);
    return with_own_gradient(arguments, [golden](const Arguments& detached, Backward& backward) {
      backward = [golden, detached](const std::vector<at::Tensor>& gradients) {
        at::AutoGradMode off(false);
        const std::string& name = golden->op.backward;
        return spread_gradients(name, golden->compiled->call(name, gradients_first(gradients, detached)), detached);
      };
      return golden->compiled->call(golden->op.forward, detached);
    });
  };
}

}  // namespace msprobe::fused
