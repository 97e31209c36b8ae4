#include "goldens/user/torchscript_compile.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/tree_views.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "goldens/user/bind_schema.h"
#include "goldens/user/torchscript_errors.h"
#include "goldens/user/torchscript_names.h"
#include "ops/convert.h"

namespace msprobe::goldens {
namespace {

namespace jit = torch::jit;
using inputs::Arguments;
using inputs::Value;

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

class Text : public CompiledScript {
 public:
  explicit Text(const UserOperator& op) : op_(op), unit_(std::make_shared<jit::CompilationUnit>()) {
    try {
      jit::Parser parser(std::make_shared<jit::Source>(op.text, op.file, static_cast<size_t>(op.text_line)));
      std::map<std::string, jit::Def> all;  // of one name the last, as Python has it
      while (parser.lexer().cur().kind != jit::TK_EOF) {
        jit::Def def(parser.parseFunction(/*is_method=*/false));
        all.insert_or_assign(def.name().name(), def);
      }
      const std::vector<jit::Def> definitions = needed(all, {op.forward, op.backward});
      const std::vector<jit::ResolverPtr> resolvers(definitions.size(), python_names(op));
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

class Module : public CompiledScript {
 public:
  explicit Module(const UserOperator& op) : op_(op) {
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

std::unique_ptr<CompiledScript> compile(const UserOperator& op) {
  if (op.kind == Kind::kModule) return std::make_unique<Module>(op);
  return std::make_unique<Text>(op);
}

}  // namespace msprobe::goldens
