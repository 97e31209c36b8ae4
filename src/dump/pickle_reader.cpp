#include "dump/pickle_reader.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <unordered_map>

#include "dump/bytes.h"
#include "util/error.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

/// Python's pickletools.py names and describes them.
enum class Op : unsigned char {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersid = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
};

using Nodes = std::vector<const PickleNode*>;

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& where) : bytes_(bytes.substr(0, kMaxPickleBytes)), where_(where) {}

  Pickle run() {
    while (pickle_.root == nullptr) step();
    pickle_.size = at_;
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(where_, "its pickle " + what + " at byte " + std::to_string(at_));
  }

  // ---- bytes -------------------------------------------------------------------------------------------------------

  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_) {
      fail(bytes_.size() == kMaxPickleBytes
               ? "is longer than " + std::to_string(kMaxPickleBytes) + " bytes or asks for more"
               : "is cut off");
    }
    const std::string_view result = bytes_.substr(at_, count);
    at_ += count;
    return result;
  }
  template <class T>
  T number() {
    return load_little<T>(take(sizeof(T)), 0);
  }
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) take(bytes_.size() - at_ + 1);  // fails
    const std::string_view result = take(end - at_);
    take(1);
    return result;
  }

  // ---- nodes, stack, memo ------------------------------------------------------------------------------------------

  PickleNode& make(PickleKind kind) {
    if (pickle_.nodes.size() == kMaxPickleNodes)
      fail("holds more than " + std::to_string(kMaxPickleNodes) + " objects");
    PickleNode& node = pickle_.nodes.emplace_back();
    node.kind = kind;
    return node;
  }
  void push(const PickleNode& node) {
    if (stack_.size() == kMaxPickleNodes) fail("needs a stack of more than " + std::to_string(kMaxPickleNodes));
    stack_.push_back(&node);
  }
  PickleNode& push_new(PickleKind kind) {
    PickleNode& node = make(kind);
    push(node);
    return node;
  }
  void push_integer(int64_t value) { push_new(PickleKind::kInteger).integer = value; }
  void push_text(PickleKind kind, uint64_t size) {
    const std::string_view text = take(size);
    push_new(kind).text = text;
  }

  /// First position that belongs to the innermost mark.
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  const PickleNode& top() const {
    if (stack_.size() == floor()) fail("uses an empty stack");
    return *stack_.back();
  }
  const PickleNode& pop() {
    const PickleNode& node = top();
    stack_.pop_back();
    return node;
  }
  Nodes pop_many(size_t count) {
    if (stack_.size() - floor() < count) fail("uses an empty stack");
    Nodes nodes(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return nodes;
  }
  Nodes pop_to_mark() {
    if (marks_.empty()) fail("uses a mark that it never set");
    Nodes nodes = pop_many(stack_.size() - marks_.back());
    marks_.pop_back();
    return nodes;
  }
  /// The container on top of the stack, to be filled.
  PickleNode& container(PickleKind kind) {
    const PickleNode& node = top();
    // A call stands for an object, such as OrderedDict(), that is filled after it was made.
    if (!node.is(kind) && !node.is(PickleKind::kCall)) fail("fills something that is no list or dict");
    return const_cast<PickleNode&>(node);  // all nodes live in pickle_.nodes, which is ours
  }
  /// Into a call nothing is put: what the object would have held is of no interest.
  void fill(PickleKind kind, const Nodes& items) {
    PickleNode& node = container(kind);
    if (kind == PickleKind::kDict && items.size() % 2 != 0) fail("has a key without a value");
    if (node.is(kind)) node.items.insert(node.items.end(), items.begin(), items.end());
  }

  void put(uint64_t index) { memo_[index] = &top(); }
  void get(uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("asks for object " + std::to_string(index) + ", which it never stored");
    push(*found->second);
  }

  void push_global(std::string_view module, std::string_view name) {
    PickleNode& node = push_new(PickleKind::kGlobal);
    node.text = module;
    node.name = name;
    pickle_.globals.push_back(&node);
  }

  /// Little-endian two's complement of any length.
  void push_long(uint64_t size) {
    const std::string_view digits = take(size);
    if (digits.size() > sizeof(int64_t)) {
      push_new(PickleKind::kLongInteger).text = digits;
      return;
    }
    uint64_t value = !digits.empty() && (digits.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
    for (size_t i = digits.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
    push_integer(static_cast<int64_t>(value));
  }

  /// BINFLOAT alone is big-endian.
  void push_real() {
    uint64_t bits = 0;
    for (const char c : take(sizeof bits)) bits = bits << 8 | static_cast<unsigned char>(c);
    push_new(PickleKind::kReal).real = std::bit_cast<double>(bits);
  }

  void push_items(PickleKind kind, Nodes items) {
    PickleNode& node = make(kind);
    node.items = std::move(items);
    push(node);
  }

  // ---- opcodes -----------------------------------------------------------------------------------------------------

  void step() {
    const auto op = static_cast<Op>(take(1)[0]);
    if (!step_value(op) && !step_container(op) && !step_machine(op)) {
      --at_;
      char code[8];
      std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(op));
      fail(std::string("has the opcode ") + code + ", which tensor files do not use,");
    }
  }

  bool step_value(Op op) {
    switch (op) {
      case Op::kNone:
        push_new(PickleKind::kNone);
        return true;
      case Op::kNewTrue:
      case Op::kNewFalse:
        push_new(PickleKind::kBool).boolean = op == Op::kNewTrue;
        return true;
      case Op::kBinInt:
        push_integer(number<int32_t>());
        return true;
      case Op::kBinInt1:
        push_integer(number<uint8_t>());
        return true;
      case Op::kBinInt2:
        push_integer(number<uint16_t>());
        return true;
      case Op::kLong1:
        push_long(number<uint8_t>());
        return true;
      case Op::kLong4:
        push_long(number<uint32_t>());
        return true;
      case Op::kBinFloat:
        push_real();
        return true;
      case Op::kShortBinUnicode:
        push_text(PickleKind::kText, number<uint8_t>());
        return true;
      case Op::kBinUnicode:
        push_text(PickleKind::kText, number<uint32_t>());
        return true;
      case Op::kBinUnicode8:
        push_text(PickleKind::kText, number<uint64_t>());
        return true;
      case Op::kShortBinBytes:
        push_text(PickleKind::kBytes, number<uint8_t>());
        return true;
      case Op::kBinBytes:
        push_text(PickleKind::kBytes, number<uint32_t>());
        return true;
      default:
        return false;
    }
  }

  bool step_container(Op op) {
    switch (op) {
      case Op::kEmptyTuple:
        push_new(PickleKind::kTuple);
        return true;
      case Op::kEmptyList:
        push_new(PickleKind::kList);
        return true;
      case Op::kEmptyDict:
        push_new(PickleKind::kDict);
        return true;
      case Op::kTuple:
        push_items(PickleKind::kTuple, pop_to_mark());
        return true;
      case Op::kTuple1:
      case Op::kTuple2:
      case Op::kTuple3:
        push_items(PickleKind::kTuple, pop_many(static_cast<size_t>(op) - static_cast<size_t>(Op::kTuple1) + 1));
        return true;
      case Op::kAppend:
        fill(PickleKind::kList, pop_many(1));
        return true;
      case Op::kAppends:
        fill(PickleKind::kList, pop_to_mark());
        return true;
      case Op::kSetItem:
        fill(PickleKind::kDict, pop_many(2));
        return true;
      case Op::kSetItems:
        fill(PickleKind::kDict, pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  bool step_machine(Op op) {
    switch (op) {
      case Op::kProto:
        if (number<uint8_t>() > 5) fail("has an unknown protocol");
        return true;
      case Op::kFrame:
        number<uint64_t>();  // only tells a reader of streams how much to fetch
        return true;
      case Op::kMark:
        if (marks_.size() == kMaxPickleNodes) fail("sets more than " + std::to_string(kMaxPickleNodes) + " marks");
        marks_.push_back(stack_.size());
        return true;
      case Op::kPop:
        pop();
        return true;
      case Op::kPopMark:
        pop_to_mark();
        return true;
      case Op::kDup:
        push(top());
        return true;
      case Op::kBinPut:
        put(number<uint8_t>());
        return true;
      case Op::kLongBinPut:
        put(number<uint32_t>());
        return true;
      case Op::kMemoize:
        put(memo_.size());
        return true;
      case Op::kBinGet:
        get(number<uint8_t>());
        return true;
      case Op::kLongBinGet:
        get(number<uint32_t>());
        return true;
      case Op::kGlobal: {
        const std::string_view module = line();
        push_global(module, line());
        return true;
      }
      case Op::kStackGlobal: {
        const Nodes names = pop_many(2);
        if (!names[0]->is(PickleKind::kText) || !names[1]->is(PickleKind::kText)) fail("names a global without text");
        push_global(names[0]->text, names[1]->text);
        return true;
      }
      case Op::kReduce:
      case Op::kNewObj:
        push_items(PickleKind::kCall, pop_many(2));
        return true;
      case Op::kBuild:  // the state of an object; only its rebuilding arguments matter here
        pop_many(1);
        top();
        return true;
      case Op::kBinPersid:
        push_items(PickleKind::kPersistent, pop_many(1));
        return true;
      case Op::kStop:
        pickle_.root = &pop();
        return true;
      default:
        return false;
    }
  }

  std::string_view bytes_;
  const std::string& where_;
  size_t at_ = 0;
  Pickle pickle_;
  Nodes stack_;
  std::vector<size_t> marks_;  ///< positions on the stack
  std::unordered_map<uint64_t, const PickleNode*> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view bytes, const std::string& where) {
  return Machine(bytes, where).run();
}

}  // namespace msprobe::dump
