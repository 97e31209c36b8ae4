// What becomes of every name that a dump can hold: `msprobe apis`, and the test that holds the totals.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "config/standards.h"
#include "goldens/registry.h"

namespace msprobe::run {

enum class Way {
  kSchema,       ///< an operator's schema says how
  kAdaptor,      ///< Python code of PyTorch stands between the name and its operators, and is followed
  kGolden,       ///< fused operator of the NPU with a golden of its own
  kSkipped,      ///< left out by the lists of precision_standard.yaml and their like
  kNotPossible,  ///< nothing that could be called
};
constexpr size_t kWays = 5;

struct Coverage {
  std::string name;  ///< "Torch.add"
  Way way = Way::kNotPossible;
  std::string how;          ///< "aten::add"; of a golden, where it comes from; else the reason
  bool absent = false;      ///< kNotPossible because this LibTorch has no operator of that name
  std::string golden = {};  ///< a user's, where there is one: "Python golden.py:3"; NPU operators have it in `how`
};

/// The names of config/api_universe.txt: one "Type.name" a line, "#" begins a comment line. Error when it cannot be
/// read, or for a line (with its number) that is no such name.
std::vector<std::string> read_universe(const std::string& path);

/// How an API of that name would be called, before any argument is known: a method needs an overload with `self`, a
/// name with an overload (Aten.add.Tensor) that very overload.
Coverage cover(const std::string& type_and_name, const config::Standards& standards, const goldens::Registry& goldens);

/// Names by way, for each prefix.
using Totals = std::map<std::string, std::array<size_t, kWays>>;
Totals totals(const std::vector<Coverage>& all);

/// "by schema (aten::add)", "SKIP by policy: ..."
std::string text(const Coverage& coverage);

}  // namespace msprobe::run
