// Python pickles, protocols 2 to 5, read into inert trees: nothing is imported, called or executed. A "call" of the
// pickle is a node that says what would have been called with what; tensor_pickle.h knows the few that rebuild a
// tensor.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::dump {

enum class PickleKind : uint8_t {
  kNone,
  kBool,
  kInteger,
  kLongInteger,
  kReal,
  kText,
  kBytes,
  kTuple,
  kList,
  kDict,
  kGlobal,
  kCall,
  kPersistent,
};

/// Nodes may be shared and even contain themselves: never walk them without a limit.
struct PickleNode {
  PickleKind kind = PickleKind::kNone;
  bool boolean = false;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;  ///< kText, kBytes; kLongInteger: its bytes, little-endian two's complement; kGlobal: module
  std::string_view name;  ///< kGlobal: name in the module
  /// kTuple, kList: elements. kDict: key, value, key, value ... kCall: callable, arguments. kPersistent: the id.
  std::vector<const PickleNode*> items;

  bool is(PickleKind other) const { return kind == other; }
  bool is_global(std::string_view module, std::string_view global_name) const {
    return kind == PickleKind::kGlobal && text == module && name == global_name;
  }
};

struct Pickle {
  std::deque<PickleNode> nodes;            ///< owns all nodes
  std::vector<const PickleNode*> globals;  ///< every module and name that the pickle asks for, used or not
  const PickleNode* root = nullptr;
  size_t size = 0;  ///< bytes that it took
};

/// What a pickle may take up. A tensor's has about 200 bytes and 30 nodes; a parameter may carry attributes.
constexpr size_t kMaxPickleBytes = size_t{1} << 20;
constexpr size_t kMaxPickleNodes = 100'000;

/// Reads the pickle at the front of `bytes` (more may follow); text in the result points into `bytes`. Throws
/// Error{where, ...}: cut off, an opcode that torch.save never writes, or more than the limits allow.
Pickle read_pickle(std::string_view bytes, const std::string& where);

}  // namespace msprobe::dump
