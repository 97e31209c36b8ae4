// config/signatures.yaml as plain data: what is known of an API that PyTorch does not say, by the names of its
// parameters. The code holds no copy of it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/api_names.h"
#include "config/standards.h"

namespace msprobe::config {

/// One parameter of a Python function.
struct DeclaredName {
  std::string name;
  bool keyword_only = false;
  bool operator==(const DeclaredName&) const = default;
};

/// A rule that the drawn values of an argument keep. What names of rules mean is known where they are carried out.
struct ValueRule {
  std::string parameter;
  std::string rule;
  std::string where;  ///< file and line, for an Error
  bool operator==(const ValueRule&) const = default;
};

/// Which output holds indices, and into what.
struct IndexOutput {
  enum class WithoutDim {
    kLast,       ///< "last": into the last dimension
    kFlattened,  ///< "flattened": into the flattened input
    kValues,     ///< "values": the output holds no indices then
  };
  size_t output = 0;
  std::string dim;  ///< the parameter
  WithoutDim without_dim = WithoutDim::kValues;
  bool distinct = false;  ///< none may occur twice along dim
  std::string inverse;    ///< the parameter that asks for it: indices into output 0, and only without dim; may be empty
  std::string stable;     ///< the parameter that makes the order among equal values part of the result; may be empty
  /// A pool's indices into the last `plane` dimensions, flattened: how its windows lie.
  enum class Window {
    kNone,
    kKernel,      ///< "kernel": by kernel_size, stride, padding and dilation
    kAdaptive,    ///< "adaptive": by the sizes of input and output
    kFractional,  ///< "fractional": kernel_size elements, drawn where
  };
  Window window = Window::kNone;
  int plane = 0;
  bool operator==(const IndexOutput&) const = default;
};

/// When an output is random.
struct Randomness {
  enum class When { kAlways, kAboveZero, kBelowOne, kWithout };
  When when = When::kAlways;
  std::string parameter;  ///< empty: always
  bool operator==(const Randomness&) const = default;
};

/// How the parameters of a dropout decide whether it draws anything (docs/execution.md#dropout-that-drops-nothing).
struct Dropout {
  std::string probability;        ///< the parameter: nothing is drawn at 0 and 1
  std::string training;           ///< the flag that turns it on; empty: it is always on
  bool trains_by_default = true;  ///< where the flag is left out
  bool operator==(const Dropout&) const = default;
};

/// What becomes of a parameter in the golden's call in float64.
enum class InFloat64 {
  kNotSet,   ///< "not set": the flag is false
  kLeftOut,  ///< "left out"
};

/// DtypeDefault as files write it.
constexpr std::array<std::string_view, 2> kDtypeDefaultNames = {"eps", "eps * longer side"};

/// How many rows of dimension 0 of the outputs are written.
struct RowsWritten {
  std::string argument;   ///< that tells
  std::string list_type;  ///< "ends", "counts", or the parameter that says 0 ends, 1 counts, 2 pairs of group and count
  std::map<std::string, std::vector<int64_t>> unless;  ///< parameter -> values with which all are written
  bool list_type_is_fixed() const { return list_type == "ends" || list_type == "counts"; }
  bool operator==(const RowsWritten&) const = default;
};

/// What is known of one API; what is empty is not known.
struct ApiFacts {
  std::vector<DeclaredName> parameters;  ///< in Python's order
  std::vector<ValueRule> values;         ///< in the file's order
  std::optional<IndexOutput> index_output;
  std::optional<Randomness> random;
  std::optional<Dropout> dropout;
  std::optional<std::pair<std::string, DtypeDefault>> dtype_default;  ///< parameter and rule
  std::optional<RowsWritten> written_rows;
  std::vector<std::string> changes;                           ///< parameters that it writes to, unsaid by its schema
  std::vector<std::pair<std::string, InFloat64>> in_float64;  ///< by parameter
  bool not_raised = false;                                    ///< the golden runs in the recorded precision
  bool hf32 = false;                                          ///< an NPU computes it in HF32
  bool no_backward = false;                                   ///< backward is not run
  bool skip = false;                                          ///< moves, converts or allocates
  bool removed = false;                                       ///< gone from PyTorch; of exactly this name
  int judged_outputs = 0;                                     ///< so many first outputs are compared; 0: all
  std::string host;                                           ///< the parameter whose tensor stays on the host
  std::string callable;     ///< the parameter that takes a Python function, which no dump holds
  std::string unsupported;  ///< why no call can be made
  std::string cost;         ///< family of cost
  std::string where;        ///< file and line
};

/// All entries by name.
class FactTable {
 public:
  /// nullptr: nothing is known of exactly this name.
  const ApiFacts* find(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
  }
  /// The first of `names` that has this fact; nullptr: none has. `fact`: &ApiFacts::values, ...
  template <class Names, class Fact>
  const Fact* find(const Names& names, Fact ApiFacts::*fact) const {
    static const Fact kUnknown{};
    for (const auto& name : names)
      if (const ApiFacts* facts = find(name); facts != nullptr && facts->*fact != kUnknown) return &(facts->*fact);
    return nullptr;
  }
  /// Rules of parameters of any API that are given by these keywords (the file's entry "*").
  const std::vector<ValueRule>& values_of_all() const { return values_of_all_; }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  friend FactTable load_api_facts(const std::string& path);
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, ApiFacts, Hash, std::equal_to<>> entries_;
  std::vector<ValueRule> values_of_all_;
};

/// Throws Error (file, line, remedy) for unknown keys, wrong types, and a fact about a parameter that the entry's own
/// `parameters` lacks.
FactTable load_api_facts(const std::string& path);

/// Those of the installed signatures.yaml, read when first asked for. Throws Error as load_api_facts does.
const FactTable& installed_api_facts();

/// The names of a Python declaration, "input, p=0.5, *, size=[1, 2]".
std::vector<DeclaredName> parse_parameters(std::string_view declaration);

}  // namespace msprobe::config
