// Zip archives as torch.save writes them: every member stored, none compressed. Reads from memory and copies nothing.
// Everything in the directory is a claim that is checked against the bytes before it is used.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::dump {

class ZipReader {
 public:
  struct Member {
    std::string_view name;
    uint64_t begin = 0, size = 0;  ///< of the contents, in the archive
    uint32_t crc = 0;
  };

  /// Reads the directory of `archive`, which must outlive the reader. Throws Error{where, ...}: cut off, not a zip,
  /// encrypted, compressed, more than kMaxMembers, members that overlap, share a name, lie outside or are named
  /// "../x" or "/x", local headers or zip64 fields that contradict the directory.
  ZipReader(std::string_view archive, std::string where);

  const std::vector<Member>& members() const { return members_; }
  /// nullptr when there is none.
  const Member* find(std::string_view name) const;
  /// The contents, after their CRC-32 was checked. Throws Error when it is wrong.
  /// torch.serialization.set_crc32_options(False) leaves every CRC zero: such an archive is taken unchecked.
  std::string_view read(const Member& member) const;

  static constexpr size_t kMaxMembers = 1024;  ///< a tensor file has fewer than ten

 private:
  std::string_view archive_;
  std::string where_;
  std::vector<Member> members_;
  bool has_crcs_ = false;
};

}  // namespace msprobe::dump
