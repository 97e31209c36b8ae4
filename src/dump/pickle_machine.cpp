#include "dump/pickle_machine.h"

#include <bit>

#include "util/error.h"

namespace msprobe::dump {

PickleMachine::PickleMachine(std::string_view bytes, const std::string& where)
    : bytes_(bytes.substr(0, kMaxPickleBytes)), where_(where) {}

void PickleMachine::fail(const std::string& what, size_t back) const {
  throw Error(where_, "its pickle " + what + " at byte " + std::to_string(at_ - back));
}

// ---- bytes

std::string_view PickleMachine::take(uint64_t count) {
  if (count > bytes_.size() - at_) {
    fail(bytes_.size() == kMaxPickleBytes
             ? "is longer than " + std::to_string(kMaxPickleBytes) + " bytes or asks for more"
             : "is cut off");
  }
  const std::string_view result = bytes_.substr(at_, count);
  at_ += count;
  return result;
}

std::string_view PickleMachine::line() {
  const size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) take(bytes_.size() - at_ + 1);  // fails
  const std::string_view result = take(end - at_);
  take(1);
  return result;
}

// ---- new objects

PickleNode& PickleMachine::make(PickleKind kind) {
  if (pickle_.nodes.size() == kMaxPickleNodes) fail("holds more than " + std::to_string(kMaxPickleNodes) + " objects");
  PickleNode& node = pickle_.nodes.emplace_back();
  node.kind = kind;
  return node;
}

PickleNode& PickleMachine::push_new(PickleKind kind) {
  PickleNode& node = make(kind);
  push(node);
  return node;
}

void PickleMachine::push_text(PickleKind kind, uint64_t size) {
  const std::string_view text = take(size);
  push_new(kind).text = text;
}

void PickleMachine::push_long(uint64_t size) {
  const std::string_view digits = take(size);
  if (digits.size() > sizeof(int64_t)) {
    push_new(PickleKind::kLongInteger).text = digits;
    return;
  }
  uint64_t value = !digits.empty() && (digits.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
  for (size_t i = digits.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
  push_integer(static_cast<int64_t>(value));
}

void PickleMachine::push_real() {
  uint64_t bits = 0;
  for (const char c : take(sizeof bits)) bits = bits << 8 | static_cast<unsigned char>(c);
  push_new(PickleKind::kReal).real = std::bit_cast<double>(bits);
}

void PickleMachine::push_global(std::string_view module, std::string_view name) {
  PickleNode& node = push_new(PickleKind::kGlobal);
  node.text = module;
  node.name = name;
  pickle_.globals.push_back(&node);
}

void PickleMachine::push_items(PickleKind kind, Nodes items) {
  PickleNode& node = make(kind);
  node.items = std::move(items);
  push(node);
}

// ---- the stack

void PickleMachine::push(const PickleNode& node) {
  if (stack_.size() == kMaxPickleNodes) fail("needs a stack of more than " + std::to_string(kMaxPickleNodes));
  stack_.push_back(&node);
}

const PickleNode& PickleMachine::top() const {
  if (stack_.size() == floor()) fail("uses an empty stack");
  return *stack_.back();
}

const PickleNode& PickleMachine::pop() {
  const PickleNode& node = top();
  stack_.pop_back();
  return node;
}

PickleMachine::Nodes PickleMachine::pop_many(size_t count) {
  if (stack_.size() - floor() < count) fail("uses an empty stack");
  Nodes nodes(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
  stack_.resize(stack_.size() - count);
  return nodes;
}

void PickleMachine::set_mark() {
  if (marks_.size() == kMaxPickleNodes) fail("sets more than " + std::to_string(kMaxPickleNodes) + " marks");
  marks_.push_back(stack_.size());
}

PickleMachine::Nodes PickleMachine::pop_to_mark() {
  if (marks_.empty()) fail("uses a mark that it never set");
  Nodes nodes = pop_many(stack_.size() - marks_.back());
  marks_.pop_back();
  return nodes;
}

PickleNode& PickleMachine::container(PickleKind kind) {
  const PickleNode& node = top();
  if (!node.is(kind) && !node.is(PickleKind::kCall)) fail("fills something that is no list or dict");
  return const_cast<PickleNode&>(node);  // all nodes live in pickle_.nodes, which is ours
}

void PickleMachine::fill(PickleKind kind, const Nodes& items) {
  PickleNode& node = container(kind);
  if (kind == PickleKind::kDict && items.size() % 2 != 0) fail("has a key without a value");
  if (node.is(kind)) node.items.insert(node.items.end(), items.begin(), items.end());
}

// ---- the memo

void PickleMachine::get(uint64_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) fail("asks for object " + std::to_string(index) + ", which it never stored");
  push(*found->second);
}

Pickle PickleMachine::finish() {
  pickle_.size = at_;
  return std::move(pickle_);
}

}  // namespace msprobe::dump
