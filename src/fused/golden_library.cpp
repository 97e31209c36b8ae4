#include "fused/golden_library.h"

#include <dlfcn.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/version.h>

#include <memory>
#include <stdexcept>

#include "fused/bind_schema.h"
#include "fused/own_gradient.h"
#include "ops/convert.h"
#include "util/edit_distance.h"

#define MSPROBE_PLUGIN_HOST
#include "msprobe/plugin.h"

namespace msprobe::fused {
namespace {

using inputs::Arguments;
using inputs::Value;

// "2.13" of "2.13.0+cpu": within it LibTorch keeps its layout.
std::string release(const std::string& version) {
  const size_t first = version.find('.');
  return first == std::string::npos ? version : version.substr(0, version.find('.', first + 1));
}

std::string name_of(const char* schema) {
  const std::string text(schema);
  return text.substr(0, text.find('('));
}

struct Golden {
  c10::FunctionSchema schema;
  plugin::Golden functions;
};

// Nothing of the library is touched before its version is known.
const plugin::Library& checked(const std::string& file, const plugin::Library* library) {
  if (library->abi_version != plugin::kAbiVersion)
    throw std::runtime_error(file + " was built for version " + std::to_string(library->abi_version) +
                             " of msprobe/plugin.h, this program has version " + std::to_string(plugin::kAbiVersion) +
                             ": build it with the header of this msprobe");
  if (library->cxx11_abi != _GLIBCXX_USE_CXX11_ABI)
    throw std::runtime_error(file + " was built with _GLIBCXX_USE_CXX11_ABI=" + std::to_string(library->cxx11_abi) +
                             ", this program with " + std::to_string(_GLIBCXX_USE_CXX11_ABI) +
                             ": build both with the same");
  if (release(library->torch_version) != release(TORCH_VERSION))
    throw std::runtime_error(file + " was built with LibTorch " + library->torch_version + ", this program with " +
                             TORCH_VERSION + ": build it with the same");
  return *library;
}

Golden load(const UserOperator& op) {
  // The path as it is, so that dlopen does not look elsewhere.
  const std::string path = op.file.find('/') == std::string::npos ? "./" + op.file : op.file;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays loaded: tensors may hold its code
  if (handle == nullptr) throw std::runtime_error(std::string("cannot load ") + dlerror());
  auto* entry = reinterpret_cast<const plugin::Library* (*)()>(dlsym(handle, "msprobe_plugin"));
  if (entry == nullptr)
    throw std::runtime_error(op.file +
                             " is no library of goldens: it has no symbol msprobe_plugin; include "
                             "msprobe/plugin.h and name the functions with MSPROBE_GOLDEN");
  const plugin::Library& library = checked(op.file, entry());
  std::vector<std::string> names;
  for (size_t i = 0; i < library.count; ++i) {
    names.push_back(name_of(library.goldens[i].schema));
    if (names.back() != op.forward) continue;
    try {
      return {torch::jit::parseSchema(library.goldens[i].schema), library.goldens[i]};
    } catch (const std::exception& e) {
      throw std::runtime_error(op.file + ": schema \"" + library.goldens[i].schema + "\": " + e.what());
    }
  }
  throw std::runtime_error(op.file + " has no golden " + op.forward + util::did_you_mean(op.forward, names));
}

Value as_value(const plugin::Values& results) {
  if (results.size() == 1) return ops::to_value(results[0]);
  inputs::List list;
  for (const auto& r : results) list.items.push_back(ops::to_value(r));
  return Value(std::move(list));
}

}  // namespace

std::function<Value(const Arguments&)> library_golden(const UserOperator& op) {
  auto loaded = std::make_shared<std::unique_ptr<Golden>>();
  return [op, loaded](const Arguments& arguments) {
    if (!*loaded) *loaded = std::make_unique<Golden>(load(op));
    const Golden& golden = **loaded;
    const std::string name = golden.schema.name();
    if (golden.functions.backward == nullptr)
      return as_value(golden.functions.forward(bind_schema(name, golden.schema, arguments)));
    return with_own_gradient(arguments, [loaded, name](const Arguments& detached, Backward& backward) {
      const plugin::Values bound = bind_schema(name, (*loaded)->schema, detached);
      backward = [loaded, name, bound, detached](const std::vector<at::Tensor>& gradients) {
        at::AutoGradMode off(false);
        plugin::Values all(gradients.begin(), gradients.end());
        all.insert(all.end(), bound.begin(), bound.end());
        return spread_gradients("backward of " + name, as_value((*loaded)->functions.backward(all)), detached);
      };
      return as_value((*loaded)->functions.forward(bound));
    });
  };
}

}  // namespace msprobe::fused
