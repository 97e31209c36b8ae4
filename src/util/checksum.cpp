#include "util/checksum.h"

#include <zlib.h>

#include <algorithm>

namespace msprobe::util {

uint32_t crc32_of(std::string_view bytes, uint32_t before) {
  // zlib takes lengths of 32 bits on some systems; a piece at a time also stays in the cache of whoever reads next.
  constexpr size_t kPiece = size_t{64} << 20;
  uLong sum = before;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    sum = ::crc32(sum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    bytes.remove_prefix(piece.size());
  }
  return static_cast<uint32_t>(sum);
}

}  // namespace msprobe::util
