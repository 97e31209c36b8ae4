// A hash table of names to their positions: 8 bytes a slot, names stay where they are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace msprobe::util {

/// The names are those of another container, which must outlive the index or keep its names where they are.
class NameIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit NameIndex(size_t expected = 16) { rehash(expected * 2); }

  /// Adds names_[i] = `name`; the position of an equal name when there is one already, else kNone.
  uint32_t insert(std::string_view name) {
    if ((names_.size() + 1) * 2 > slots_.size()) rehash(slots_.size() * 2);
    const uint32_t tag = hash(name);
    Slot& slot = find_slot(name, tag);
    if (slot.position != kNone) return slot.position;
    slot = {tag, static_cast<uint32_t>(names_.size())};
    names_.push_back(name);
    return kNone;
  }
  /// The position of `name` in the order of insertion, or kNone.
  uint32_t find(std::string_view name) const {
    return const_cast<NameIndex*>(this)->find_slot(name, hash(name)).position;
  }
  size_t size() const { return names_.size(); }
  std::string_view name(uint32_t position) const { return names_[position]; }

 private:
  struct Slot {
    uint32_t tag = 0, position = kNone;
  };
  static uint32_t hash(std::string_view name) {
    const size_t h = std::hash<std::string_view>{}(name);
    return static_cast<uint32_t>(h ^ (h >> 32));
  }
  Slot& find_slot(std::string_view name, uint32_t tag) {
    const size_t mask = slots_.size() - 1;
    for (size_t i = tag & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.position == kNone || (slot.tag == tag && names_[slot.position] == name)) return slot;
    }
  }
  void rehash(size_t at_least) {
    size_t size = 32;
    while (size < at_least) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    const size_t mask = size - 1;
    for (const Slot& slot : old) {
      if (slot.position == kNone) continue;
      size_t i = slot.tag & mask;
      while (slots_[i].position != kNone) i = (i + 1) & mask;
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::string_view> names_;
};

}  // namespace msprobe::util
