#include "check/error_data.h"

#include <ATen/ATen.h>

#include <filesystem>

#include "check/error_text.h"
#include "report/file_names.h"
#include "report/pt_writer.h"

namespace msprobe::check {
namespace {

namespace fs = std::filesystem;
using inputs::Value;
using report::Saved;
using report::saved_stem;

void save(const fs::path& file, const at::Tensor& tensor) {
  if (!tensor.defined()) return;
  at::Tensor t = tensor.detach();
  if (t.layout() != at::kStrided) t = t.to_dense();
  t = t.to(at::kCPU).resolve_conj().resolve_neg().contiguous();
  report::write_pt(file.string(), inputs::dtype_name(t.scalar_type()), t.sizes().vec(), t.data_ptr(), t.nbytes(),
                   tensor.requires_grad() && tensor.is_leaf());
}

// Nested lists add an index a level: `input.1.2`.
void save_nested(const fs::path& directory, const std::string& stem, const Value& value) {
  if (const auto* t = value.get_if<at::Tensor>()) {
    save(directory / (stem + ".pt"), *t);
  } else if (const auto* list = value.get_if<inputs::List>()) {
    for (size_t i = 0; i < list->items.size(); ++i)
      save_nested(directory, stem + "." + std::to_string(i), list->items[i]);
  } else if (const auto* dict = value.get_if<inputs::Dict>()) {
    for (const auto& [name, item] : dict->items) save_nested(directory, stem + "." + name, item);
  }
}

void save_flat(const fs::path& directory, const std::string& stem, const std::vector<Value>& values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (const auto* t = values[i].get_if<at::Tensor>()) save(directory / (stem + std::to_string(i) + ".pt"), *t);
}

void save_flat(const fs::path& directory, const std::string& stem, const std::vector<at::Tensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) save(directory / (stem + std::to_string(i) + ".pt"), tensors[i]);
}

}  // namespace

std::string save_evidence(const std::string& directory, const std::string& api, const Evidence& e) {
  try {
    fs::path dir(directory);
    if (!fs::exists(dir)) {
      fs::create_directories(dir);
      fs::permissions(dir, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
    }
    for (size_t i = 0; i < e.inputs.args.size(); ++i)
      save_nested(dir, saved_stem(api, Saved::kInput) + std::to_string(i), e.inputs.args[i]);
    for (const auto& [name, value] : e.inputs.kwargs) save_nested(dir, saved_stem(api, Saved::kKeyword) + name, value);
    save_flat(dir, saved_stem(api, Saved::kGoldenOutput), e.golden);
    save_flat(dir, saved_stem(api, Saved::kDeviceOutput), e.device);
    save_flat(dir, saved_stem(api, Saved::kOutputGradient), e.gradients);
    save_flat(dir, saved_stem(api, Saved::kGoldenGradient), e.golden_gradients);
    save_flat(dir, saved_stem(api, Saved::kDeviceGradient), e.device_gradients);
  } catch (...) {
    return "tensors not saved: " + describe_error(std::current_exception()).text;
  }
  return "";
}

}  // namespace msprobe::check
