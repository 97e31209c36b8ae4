// Names of dump entries: `Type.name.index.direction`, where name may hold dots (`Torch.linalg.norm.3.forward`).
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace msprobe::dump {

enum class Direction { kForward, kBackward };

/// A key of dump.json without its direction, taken apart. `Torch.linalg.norm.3`: type Torch, name linalg.norm, index 3.
struct ApiName {
  std::string type;   ///< Functional, Tensor, Torch, VF, Aten, NPU, Distributed, MindSpeed, or anything the dump holds
  std::string name;   ///< everything between type and index, dots kept
  std::string index;  ///< the call's number; kept as text
  std::string full;   ///< as in the dump, without direction

  /// Last segment of name: `norm` of `linalg.norm`.
  std::string_view last() const;
  /// 3 or 4 segments and a numeric index (docs/formats.md#dumpjson); others are SKIP.
  bool well_formed() const;
};

/// Splits a key without direction. Never fails: what does not fit leaves parts empty, well_formed() is then false.
ApiName parse_api_name(std::string_view full);

struct Key {
  std::string_view api;  ///< the key without ".forward" / ".backward"
  Direction direction;
};
/// Splits off the direction by the *last* segment; nullopt when it is neither forward nor backward.
std::optional<Key> split_key(std::string_view key);

}  // namespace msprobe::dump
