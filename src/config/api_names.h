// The names under which a list of the configuration may speak of an API: one rule for all lists
// (docs/configuration.md#names-of-apis).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::config {

/// A name as PyTorch spells it: the namespaces that dumps carry along are folded into the type.
struct PythonName {
  std::string type;  ///< Functional, Tensor, Torch, VF, Aten, or as recorded
  std::string name;  ///< "linalg.norm", "add.Tensor"
};

/// Torch nn.functional.relu -> Functional relu; Torch _C._nn.gelu -> Torch gelu; Torch ops.aten.add.Tensor -> Aten
/// add.Tensor.
PythonName python_name(std::string_view type, std::string_view name);

/// Names containing "dropout" are run, and judged by their number of zeros (docs/figures.md#status-in-this-order).
/// `name`: of an API or of a row, whole or without its type.
bool is_dropout(std::string_view name);

/// An operator's name without its overload: "add" of Aten add.Tensor; Torch linalg.norm keeps its dots.
std::string_view without_overload(const PythonName& python);

/// The most exact name first, so that `Functional.conv2d` goes before `conv2d` where both are listed.
class ApiNames {
 public:
  /// `type` and `name` as recorded. Torch linalg.norm: "Torch.linalg.norm", "linalg.norm", its last parts "norm", its
  /// first parts "linalg". Aten add.Tensor: "Aten.add.Tensor", "Aten.add", "add.Tensor", "add"; an overload alone names
  /// nothing.
  ApiNames(std::string_view type, std::string_view name);
  /// Of anything that has a type and a name: dump::ApiName, the name of a row.
  template <class Api>
  requires requires(const Api& api) {
    api.type;
    api.name;
  }
  explicit ApiNames(const Api& api) : ApiNames(api.type, api.name) {}

  /// "Torch.linalg.norm" and "linalg.norm" alone.
  static ApiNames whole(std::string_view type, std::string_view name);
  /// The same and, for in-place forms, the plain names: "bernoulli" speaks of bernoulli_ too.
  ApiNames with_plain_forms() const;

  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }

 private:
  ApiNames() = default;
  void add(std::string_view name);

  std::vector<std::string> names_;
};

}  // namespace msprobe::config
