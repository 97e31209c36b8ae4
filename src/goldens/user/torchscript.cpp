#include "goldens/user/torchscript.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/frontend/tree_views.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>

#include "goldens/own_gradient.h"
#include "goldens/user/bind_schema.h"
#include "goldens/user/python_golden.h"
#include "goldens/user/python_names.h"
#include "goldens/user/python_process.h"
#include "ops/convert.h"

namespace msprobe::goldens {
namespace {

namespace fs = std::filesystem;
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

struct Names : jit::Resolver {
  explicit Names(const UserOperator& op) : integers(op.integers), floats(op.floats) {}
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

// That TorchScript's compiler does not take the text.
struct NotCompiled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void rethrow_compiler(const std::string& what, const UserOperator& op) {
  throw NotCompiled(place_in(what, op.file) + ": " + first_sentence(what));
}

std::string remedy_of(const UserOperator& op) {
  return fs::path(op.file).extension() == ".py"
             ? "; what TorchScript does not know plain Python does: say `kind: python`"
             : "; what TorchScript does not know plain Python does: put it into a .py file and say `kind: python`";
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

void note_words(const jit::TreeRef& tree, std::vector<std::string>& words) {
  if (tree->kind() == jit::TK_STRING) words.push_back(tree->stringValue());
  if (tree->isAtom()) return;
  for (const auto& child : tree->trees()) note_words(child, words);
}

// The functions of these names and those that they name in turn: others of the file need not compile.
std::vector<jit::Def> needed(const std::map<std::string, jit::Def>& all, std::vector<std::string> words) {
  std::set<std::string> taken;
  std::vector<jit::Def> out;
  while (!words.empty()) {
    const std::string word = std::move(words.back());
    words.pop_back();
    const auto found = all.find(word);
    if (found == all.end() || !taken.insert(word).second) continue;
    out.push_back(found->second);
    note_words(found->second.tree(), words);
  }
  return out;
}

class CompiledText : public Compiled {
 public:
  explicit CompiledText(const UserOperator& op) : op_(op), unit_(std::make_shared<jit::CompilationUnit>()) {
    try {
      jit::Parser parser(std::make_shared<jit::Source>(op.text, op.file, static_cast<size_t>(op.text_line)));
      std::map<std::string, jit::Def> all;  // of one name the last, as Python has it
      while (parser.lexer().cur().kind != jit::TK_EOF) {
        jit::Def def(parser.parseFunction(/*is_method=*/false));
        all.insert_or_assign(def.name().name(), def);
      }
      const std::vector<jit::Def> definitions = needed(all, {op.forward, op.backward});
      const std::vector<jit::ResolverPtr> resolvers(definitions.size(), std::make_shared<Names>(op));
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

TorchScriptGolden torchscript_golden(const UserOperator& op, std::shared_ptr<PythonProcess> process) {
  struct Golden {
    UserOperator op;
    std::unique_ptr<Compiled> compiled;
    std::function<Value(const Arguments&)> by_python;  ///< in place of `compiled`
    std::string why;                                   ///< by_python
  };
  auto golden = std::make_shared<Golden>(Golden{op, nullptr, nullptr, ""});
  const auto compile = [golden, process = std::move(process)] {
    if (golden->compiled || golden->by_python) return;
    try {
      if (golden->op.language == Language::kModule)
        golden->compiled = std::make_unique<CompiledModule>(golden->op);
      else
        golden->compiled = std::make_unique<CompiledText>(golden->op);
    } catch (const NotCompiled& e) {
      if (!golden->op.or_python) throw std::runtime_error(e.what() + remedy_of(golden->op));
      UserOperator python = golden->op;
      python.language = Language::kPython;
      golden->by_python = python_golden(python, process);
      golden->why = e.what();
    }
  };
  TorchScriptGolden out;
  out.call = [golden, compile](const Arguments& arguments) {
    compile();
    if (golden->by_python) {
      try {
        return golden->by_python(arguments);
      } catch (const NoPython& e) {
        throw std::runtime_error("TorchScript does not take it (" + golden->why + "), and " + e.what());
      }
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
  out.remark = [golden] {
    return golden->why.empty() ? "" : "run by Python, since TorchScript does not take it: " + golden->why;
  };
  return out;
}

}  // namespace msprobe::goldens
