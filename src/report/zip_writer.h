// A zip archive of stored members whose contents start at multiples of 64 bytes, as torch.save lays them out (readers
// map them).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "util/atomic_file.h"

namespace msprobe::report {

class ZipWriter {
 public:
  /// Writes into `file`, which must be empty and stay alive. Sizes and offsets from `zip64_from` on take the 64-bit
  /// fields.
  explicit ZipWriter(util::AtomicFile& file, uint64_t zip64_from = 0xFFFFFFFF) : file_(file), zip64_from_(zip64_from) {}
  void add(std::string name, const void* data, uint64_t bytes);
  void add(std::string name, std::string_view text) { add(std::move(name), text.data(), text.size()); }
  /// The directory of the archive; nothing may be added afterwards.
  void finish();

 private:
  struct Member {
    std::string name;
    uint64_t bytes, offset;
    uint32_t crc;
  };
  util::AtomicFile& file_;
  uint64_t zip64_from_;
  std::vector<Member> members_;
};

}  // namespace msprobe::report
