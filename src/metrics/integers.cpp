#include "metrics/integers.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "metrics/blocks.h"
#include "metrics/parallel.h"

namespace msprobe::metrics {
namespace {

__extension__ typedef __int128 Wide;

struct Block {
  int64_t differ = 0;
  Wide largest = 0;
  bool constant = true;
};

Wide element(const Dtype& dtype, const char* at) {
  const auto number = [&](auto zero) {
    std::memcpy(&zero, at, sizeof zero);
    return static_cast<Wide>(zero);
  };
  const bool is_signed = dtype.storage == Storage::kSigned;
  switch (dtype.bytes) {
    case 1:
      return dtype.kind == Kind::kBool ? Wide{*at != 0} : is_signed ? number(int8_t{}) : number(uint8_t{});
    case 2:
      return is_signed ? number(int16_t{}) : number(uint16_t{});
    case 4:
      return is_signed ? number(int32_t{}) : number(uint32_t{});
    default:
      return is_signed ? number(int64_t{}) : number(uint64_t{});
  }
}

void compare_block(const Dtype& golden, const char* b, const Dtype& device, const char* d, int64_t count, Block& out) {
  if (&golden == &device && std::memcmp(b, d, count * golden.bytes) == 0) return;
  for (int64_t i = 0; i < count; ++i) {
    const Wide difference = element(device, d + i * device.bytes) - element(golden, b + i * golden.bytes);
    out.differ += difference != 0;
    out.largest = std::max(out.largest, difference < 0 ? -difference : difference);
  }
}

/// All elements equal: the first, and each its neighbour.
bool constant_block(const char* b, int64_t count, int bytes, const char* first) {
  return std::memcmp(b, first, bytes) == 0 && std::memcmp(b, b + bytes, (count - 1) * bytes) == 0;
}

}  // namespace

IntegerDifferences compare_integers(const PairView& view, const Dtype& golden, const Dtype& device) {
  const int64_t elements = view.elements(), pieces = (elements + kPiece - 1) / kPiece;
  char first[8] = {}, scratch[8];
  if (elements > 0) std::memcpy(first, view.golden(0, 1, scratch), golden.bytes);
  const auto piece = [&](int64_t number) {
    Block out;
    alignas(64) char golden_raw[kBlock * 8], device_raw[kBlock * 8];
    const int64_t end = std::min((number + 1) * kPiece, elements);
    for (int64_t at = number * kPiece; at < end; at += kBlock) {
      const int64_t count = std::min(kBlock, end - at);
      const char* b = static_cast<const char*>(view.golden(at, count, golden_raw));
      const char* d = static_cast<const char*>(view.device(at, count, device_raw));
      compare_block(golden, b, device, d, count, out);
      if (out.constant) out.constant = constant_block(b, count, golden.bytes, first);
    }
    return out;
  };
  Block all;
  if (pieces == 1) {
    all = piece(0);
  } else {
    std::vector<Block> parts(pieces);
    for_each_piece(pieces, [&](int64_t i) { parts[i] = piece(i); });
    for (const Block& part : parts) {
      all.differ += part.differ;
      all.largest = std::max(all.largest, part.largest);
      all.constant &= part.constant;
    }
  }
  return {all.differ, static_cast<double>(all.largest), all.constant};
}

std::string integer_text(const Dtype& dtype, const void* at) {
  const Wide value = element(dtype, static_cast<const char*>(at));
  if (dtype.kind == Kind::kBool) return value != 0 ? "True" : "False";
  return value < 0 ? std::to_string(static_cast<int64_t>(value)) : std::to_string(static_cast<uint64_t>(value));
}

}  // namespace msprobe::metrics
