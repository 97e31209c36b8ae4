#include "goldens/user/golden_library.h"

#include <dlfcn.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/version.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "goldens/own_gradient.h"
#include "goldens/user/bind_schema.h"
#include "goldens/user/elf_file.h"
#include "ops/convert.h"
#include "util/edit_distance.h"

#define MSPROBE_PLUGIN_HOST
#include "msprobe/plugin.h"

namespace msprobe::goldens {
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

struct Loaded {
  c10::FunctionSchema schema;
  plugin::Golden functions;
};

void check_built_for(const std::string& file, uint32_t abi_version, uint32_t cxx11_abi,
                     const std::string& torch_version) {
  if (abi_version != plugin::kAbiVersion)
    throw std::runtime_error(file + " was built for version " + std::to_string(abi_version) +
                             " of msprobe/plugin.h, this program has version " + std::to_string(plugin::kAbiVersion) +
                             ": build it with the header of this msprobe");
  if (cxx11_abi != _GLIBCXX_USE_CXX11_ABI)
    throw std::runtime_error(file + " was built with _GLIBCXX_USE_CXX11_ABI=" + std::to_string(cxx11_abi) +
                             ", this program with " + std::to_string(_GLIBCXX_USE_CXX11_ABI) +
                             ": build both with the same");
  if (release(torch_version) != release(TORCH_VERSION))
    throw std::runtime_error(file + " was built with LibTorch " + torch_version + ", this program with " +
                             TORCH_VERSION + ": build it with the same");
}

[[noreturn]] void refuse(const std::string& file) {
  throw std::runtime_error(file +
                           " is no library of goldens: it has no symbol msprobe_plugin; include msprobe/plugin.h and "
                           "name the functions with MSPROBE_GOLDEN");
}

// Loading runs a library's constructors, so its file is looked at first. Of one that does not say there what it was
// built for (an older plugin.h, or a linker that dropped the section) the entry will be asked.
void check_file(const std::string& file, const std::string& path) {
  const std::optional<ElfFile> elf = ElfFile::read(path);
  if (!elf) return;
  if (!elf->defines("msprobe_plugin")) refuse(file);
  const std::string bytes = elf->section(plugin::kSection, sizeof(plugin::BuiltFor));
  if (bytes.empty()) return;
  plugin::BuiltFor built{};
  std::memcpy(&built, bytes.data(), sizeof built);
  built.torch_version[sizeof built.torch_version - 1] = '\0';
  check_built_for(file, built.abi_version, built.cxx11_abi, built.torch_version);
}

Loaded load(const UserOperator& op) {
  // The path as it is, so that dlopen does not look elsewhere.
  const std::string path = op.file.find('/') == std::string::npos ? "./" + op.file : op.file;
  check_file(op.file, path);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays loaded: tensors may hold its code
  if (handle == nullptr) throw std::runtime_error(std::string("cannot load ") + dlerror());
  auto* entry = reinterpret_cast<const plugin::Library* (*)()>(dlsym(handle, "msprobe_plugin"));
  if (entry == nullptr) refuse(op.file);
  const plugin::Library& library = *entry();
  // Nothing else of it is touched before its version is known.
  check_built_for(op.file, library.abi_version, library.cxx11_abi, library.torch_version);
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

class LibraryGolden : public UsersGolden {
 public:
  explicit LibraryGolden(const UserOperator& op) : op_(op) {}

  Value call(const Arguments& arguments) override {
    if (!golden_) golden_ = std::make_shared<const Loaded>(load(op_));
    const std::string name = golden_->schema.name();
    if (golden_->functions.backward == nullptr)
      return as_value(golden_->functions.forward(bind_schema(name, golden_->schema, arguments)));
    // Autograd's graph may outlive this object.
    return with_own_gradient(arguments, [golden = golden_, name](const Arguments& detached, Backward& backward) {
      const plugin::Values bound = bind_schema(name, golden->schema, detached);
      backward = [golden, name, bound, detached](const std::vector<at::Tensor>& gradients) {
        at::AutoGradMode off(false);
        plugin::Values all(gradients.begin(), gradients.end());
        all.insert(all.end(), bound.begin(), bound.end());
        return spread_gradients("backward of " + name, as_value(golden->functions.backward(all)), detached);
      };
      return as_value(golden->functions.forward(bound));
    });
  }

 private:
  const UserOperator op_;
  std::shared_ptr<const Loaded> golden_;  // once it is loaded
};

}  // namespace

std::unique_ptr<UsersGolden> library_golden(const UserOperator& op) {
  return std::make_unique<LibraryGolden>(op);
}

}  // namespace msprobe::goldens
