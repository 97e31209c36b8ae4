// What a pickle works on while it is read: its bytes, a stack with marks, and a memo of objects. Each call that the
// pickle gives no right to (an empty stack, too many objects, bytes that are not there) throws Error{where, ...} with
// the place.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dump/bytes.h"
#include "dump/pickle_reader.h"

namespace msprobe::dump {

class PickleMachine {
 public:
  using Nodes = std::vector<const PickleNode*>;

  /// Both must outlive it; bytes beyond kMaxPickleBytes are not there.
  PickleMachine(std::string_view bytes, const std::string& where);

  /// "<where>: its pickle <what> at byte <position>", or `back` bytes before.
  [[noreturn]] void fail(const std::string& what, size_t back = 0) const;

  // ---- bytes

  std::string_view take(uint64_t count);
  template <class T>
  T number() {
    return load_little<T>(take(sizeof(T)), 0);
  }
  /// Up to the next line break, which is taken as well.
  std::string_view line();

  // ---- new objects, pushed on the stack

  PickleNode& push_new(PickleKind kind);
  void push_integer(int64_t value) { push_new(PickleKind::kInteger).integer = value; }
  /// The next `size` bytes, as kText or kBytes.
  void push_text(PickleKind kind, uint64_t size);
  /// The next `size` bytes as little-endian two's complement; kLongInteger where 64 bits do not hold it.
  void push_long(uint64_t size);
  /// The next 8 bytes, big-endian.
  void push_real();
  void push_global(std::string_view module, std::string_view name);
  void push_items(PickleKind kind, Nodes items);

  // ---- the stack: nothing is taken from below the innermost mark

  const PickleNode& top() const;
  void push(const PickleNode& node);
  const PickleNode& pop();
  Nodes pop_many(size_t count);
  void set_mark();
  Nodes pop_to_mark();
  /// Adds the items to the list or dict on top. A call there stands for an object, such as OrderedDict(), that is
  /// filled after it was made: into that nothing is put, as what it would have held is of no interest.
  void fill(PickleKind kind, const Nodes& items);

  // ---- the memo

  /// Stores the top under this number, or the next.
  void put(uint64_t index) { memo_[index] = &top(); }
  void put_next() { put(memo_.size()); }
  /// Pushes what was stored so.
  void get(uint64_t index);

  /// The popped top becomes the root.
  void stop() { pickle_.root = &pop(); }
  bool stopped() const { return pickle_.root != nullptr; }
  Pickle finish();

 private:
  PickleNode& make(PickleKind kind);
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleNode& container(PickleKind kind);

  std::string_view bytes_;
  const std::string& where_;
  size_t at_ = 0;
  Pickle pickle_;
  Nodes stack_;
  std::vector<size_t> marks_;  ///< positions on the stack
  std::unordered_map<uint64_t, const PickleNode*> memo_;
};

}  // namespace msprobe::dump
