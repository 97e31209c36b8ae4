// The random bits of inputs: one generator a tensor, the same bits on every host, in any order and with any number of
// threads.
//
// key     = mix(FNV-1a 64 of: the seed as 8 bytes, little end first; the API's full name; one byte 0; the position)
// word(i) = mix(key + (i + 1) * 0x9E3779B97F4A7C15), all modulo 2^64
// mix     = SplitMix64's finalizer (Steele, Lea, Flood 2014; constants of Stafford's variant 13)
//
// word(i) depends on nothing but the key and i, so a tensor may be filled from any place by any thread.
// tests/inputs/reference_generator.py is a second implementation, and tests compare the two bit by bit.
#pragma once
#include <cstdint>
#include <string_view>

#include "util/hash.h"

namespace msprobe::inputs {

constexpr uint64_t kGoldenGamma = 0x9E3779B97F4A7C15u;

constexpr uint64_t mix64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

using util::fnv1a64;

/// The words of one tensor.
class Words {
 public:
  explicit constexpr Words(uint64_t key) : key_(key) {}
  /// `api`: full name without direction ("Functional.conv2d.0"); `position`: "input.1", "kwargs.weight",
  /// "backward.input.0".
  constexpr Words(uint64_t seed, std::string_view api, std::string_view position) : key_(0) {
    char seed_bytes[8] = {};
    for (int i = 0; i < 8; ++i) seed_bytes[i] = static_cast<char>(seed >> (8 * i) & 0xFF);
    uint64_t hash = fnv1a64({seed_bytes, 8});
    hash = fnv1a64({"\0", 1}, fnv1a64(api, hash));
    key_ = mix64(fnv1a64(position, hash));
  }
  constexpr uint64_t operator()(uint64_t i) const { return mix64(key_ + (i + 1) * kGoldenGamma); }
  constexpr uint64_t key() const { return key_; }

 private:
  uint64_t key_;
};

}  // namespace msprobe::inputs
