#include "dump/zip_reader.h"

#include <algorithm>
#include <set>

#include "dump/bytes.h"
#include "util/checksum.h"
#include "util/error.h"
#include "util/text.h"

// Layout: PKWARE APPNOTE.TXT 6.3, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16 (ends), 4.5.3
// (zip64).

namespace msprobe::dump {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50, kDirectorySignature = 0x02014b50, kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50, kLocator64Signature = 0x07064b50;
constexpr uint64_t kLocalSize = 30, kDirectorySize = 46, kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;
constexpr uint64_t kMaxComment = 0xFFFF;
/// In a 16 or 32 bit field: the value is in the zip64 field.
constexpr uint16_t kElsewhere16 = 0xFFFF;
constexpr uint32_t kElsewhere32 = 0xFFFFFFFF;
constexpr uint16_t kZip64Field = 1;
constexpr uint16_t kEncrypted = 1;
constexpr uint16_t kStored = 0;

struct Directory {
  uint64_t begin = 0, size = 0, count = 0;
};

/// Walks through the directory of one archive.
class DirectoryReader {
 public:
  DirectoryReader(std::string_view archive, const std::string& where) : archive_(archive), where_(where) {}

  std::vector<ZipReader::Member> read() {
    const Directory directory = find_directory();
    if (directory.count > ZipReader::kMaxMembers) {
      fail("holds " + std::to_string(directory.count) + " members, expected one tensor's (at most " +
           std::to_string(ZipReader::kMaxMembers) + ")");
    }
    std::vector<ZipReader::Member> members;
    uint64_t at = directory.begin;
    const uint64_t end = directory.begin + directory.size;
    for (uint64_t i = 0; i < directory.count; ++i) members.push_back(read_member(at, end, directory.begin));
    if (at != end) fail("the zip directory is larger than its members");
    check_apart(members);
    return members;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(where_, what, "copy the file again, or dump again");
  }

  void check(bool good, const char* what) const {
    if (!good) fail(what);
  }

  template <class T>
  T field(uint64_t at) const {
    return load_little<T>(archive_, at);
  }

  uint64_t find_end() const {
    if (archive_.size() >= kEndSize) {
      const uint64_t last = archive_.size() - kEndSize;
      const uint64_t first = last - std::min(last, kMaxComment);
      for (uint64_t at = last + 1; at-- > first;) {
        if (field<uint32_t>(at) == kEndSignature && at + kEndSize + field<uint16_t>(at + 20) == archive_.size())
          return at;
      }
    }
    fail("its end is missing: the file was cut off, or is no torch.save file");
  }

  Directory find_directory() const {
    const uint64_t end = find_end();
    check(field<uint16_t>(end + 4) == 0 || field<uint16_t>(end + 4) == kElsewhere16,
          "the zip is spread over several files");
    Directory directory{field<uint32_t>(end + 16), field<uint32_t>(end + 12), field<uint16_t>(end + 10)};
    uint64_t limit = end;
    if (end >= kLocator64Size && field<uint32_t>(end - kLocator64Size) == kLocator64Signature) {
      limit = field<uint64_t>(end - kLocator64Size + 8);
      const uint64_t space = end - kLocator64Size;
      check(space >= kEnd64Size && limit <= space - kEnd64Size && field<uint32_t>(limit) == kEnd64Signature,
            "the zip64 end record is not where its locator says");
      const Directory large{field<uint64_t>(limit + 48), field<uint64_t>(limit + 40), field<uint64_t>(limit + 32)};
      check((directory.begin == kElsewhere32 || directory.begin == large.begin) &&
                (directory.size == kElsewhere32 || directory.size == large.size) &&
                (directory.count == kElsewhere16 || directory.count == large.count),
            "the zip64 end record contradicts the zip's end record");
      directory = large;
    }
    check(directory.begin <= limit && directory.size <= limit - directory.begin,
          "the zip directory lies outside the file");
    return directory;
  }

  /// Replaces the 32 bit fields that point to the zip64 field, in the order in which it holds them.
  void read_zip64(std::string_view extra, uint64_t& size, uint64_t& stored_size, uint64_t& header) const {
    while (extra.size() >= 4) {
      const auto id = load_little<uint16_t>(extra, 0), length = load_little<uint16_t>(extra, 2);
      extra.remove_prefix(4);
      check(length <= extra.size(), "an extra field of the zip directory is cut off");
      if (id == kZip64Field) {
        std::string_view values = extra.substr(0, length);
        for (uint64_t* value : {&size, &stored_size, &header}) {
          if (*value != kElsewhere32) continue;
          check(values.size() >= 8, "a zip64 field is cut off");
          *value = load_little<uint64_t>(values, 0);
          values.remove_prefix(8);
        }
      }
      extra.remove_prefix(length);
    }
  }

  ZipReader::Member read_member(uint64_t& at, uint64_t end, uint64_t directory_begin) {
    check(end - at >= kDirectorySize && field<uint32_t>(at) == kDirectorySignature, "the zip directory is damaged");
    const auto flags = field<uint16_t>(at + 8), method = field<uint16_t>(at + 10);
    uint64_t stored_size = field<uint32_t>(at + 20), size = field<uint32_t>(at + 24), header = field<uint32_t>(at + 42);
    const uint64_t name_size = field<uint16_t>(at + 28), extra_size = field<uint16_t>(at + 30),
                   comment_size = field<uint16_t>(at + 32);
    const uint64_t whole = kDirectorySize + name_size + extra_size + comment_size;
    check(whole <= end - at, "the zip directory is damaged");
    ZipReader::Member member;
    member.name = archive_.substr(at + kDirectorySize, name_size);
    member.crc = field<uint32_t>(at + 16);
    read_zip64(archive_.substr(at + kDirectorySize + name_size, extra_size), size, stored_size, header);
    const std::string shown_name = "member " + util::quoted(member.name);
    check_name(member.name);
    if ((flags & kEncrypted) != 0) fail(shown_name + " is encrypted");
    if (method != kStored || size != stored_size) fail(shown_name + " is compressed, torch.save stores");
    member.size = size;
    member.begin = contents_of(header, member.name, directory_begin);
    if (size > directory_begin - member.begin) fail(shown_name + " reaches beyond the zip directory");
    headers_.push_back({header, member.begin + size, member.name});
    at += whole;
    return member;
  }

  void check_name(std::string_view name) const {
    bool bad = name.empty() || name.front() == '/' || name.find('\\') != name.npos || name.find('\0') != name.npos;
    for (size_t begin = 0; begin <= name.size() && !bad;) {
      const size_t slash = std::min(name.find('/', begin), name.size());
      bad = name.substr(begin, slash - begin) == "..";
      begin = slash + 1;
    }
    if (bad) fail("member " + util::quoted(name) + " has a name that leads out of the archive");
  }

  /// Where the contents behind the local header begin.
  uint64_t contents_of(uint64_t header, std::string_view name, uint64_t directory_begin) const {
    const auto damaged = [&] { fail("member " + util::quoted(name) + " is not where the zip directory says"); };
    if (header > directory_begin || directory_begin - header < kLocalSize) damaged();
    if (field<uint32_t>(header) != kLocalSignature || field<uint16_t>(header + 8) != kStored) damaged();
    const uint64_t name_size = field<uint16_t>(header + 26), extra_size = field<uint16_t>(header + 28);
    if (name_size + extra_size > directory_begin - header - kLocalSize) damaged();
    if (archive_.substr(header + kLocalSize, name_size) != name) damaged();
    return header + kLocalSize + name_size + extra_size;
  }

  struct Extent {
    uint64_t begin, end;
    std::string_view name;
  };

  void check_apart(const std::vector<ZipReader::Member>& members) {
    std::set<std::string_view> names;
    for (const auto& member : members) {
      if (!names.insert(member.name).second) fail("two members are named " + util::quoted(member.name));
    }
    std::sort(headers_.begin(), headers_.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    for (size_t i = 1; i < headers_.size(); ++i) {
      if (headers_[i].begin < headers_[i - 1].end) {
        fail("members " + util::quoted(headers_[i - 1].name) + " and " + util::quoted(headers_[i].name) + " overlap");
      }
    }
  }

  std::string_view archive_;
  const std::string& where_;
  std::vector<Extent> headers_;  ///< from the local header to the end of the contents
};

}  // namespace

ZipReader::ZipReader(std::string_view archive, std::string where)
    : archive_(archive), where_(std::move(where)), members_(DirectoryReader(archive_, where_).read()) {
  has_crcs_ = std::any_of(members_.begin(), members_.end(), [](const Member& member) { return member.crc != 0; });
}

const ZipReader::Member* ZipReader::find(std::string_view name) const {
  const auto found =
      std::find_if(members_.begin(), members_.end(), [&](const Member& member) { return member.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

std::string_view ZipReader::read(const Member& member) const {
  const std::string_view contents = archive_.substr(member.begin, member.size);
  if (has_crcs_ && util::crc32_of(contents) != member.crc) {
    throw Error(where_, "member " + util::quoted(member.name) + " is corrupted: its CRC-32 is not the recorded one",
                "copy the file again, or dump again");
  }
  return contents;
}

}  // namespace msprobe::dump
