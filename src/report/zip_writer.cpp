#include "report/zip_writer.h"

#include <algorithm>
#include <bit>

#include "util/checksum.h"

// Field names and layouts: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3.
namespace msprobe::report {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors and zip fields are written as they lie in memory");

constexpr uint64_t kAlignment = 64;
constexpr uint16_t kUtf8Names = 0x0800;
constexpr uint16_t kVersionPlain = 20, kVersionZip64 = 45;
constexpr uint16_t kZip64Id = 0x0001;
constexpr uint16_t kPaddingId = 0x4246;                         // "FB": what torch.save calls its padding
constexpr uint16_t kDosDate = (1980 - 1980) << 9 | 1 << 5 | 1;  // 1980-01-01: equal tensors give equal files
constexpr uint32_t kSeeZip64 = 0xFFFFFFFF;

class Fields {
 public:
  template <typename T>
  Fields& put(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Fields& text(std::string_view value) {
    text_ += value;
    return *this;
  }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

void ZipWriter::add(std::string name, const void* data, uint64_t bytes) {
  const Member member{std::move(name), bytes, file_.written(), util::crc32_of({static_cast<const char*>(data), bytes})};
  const bool large = bytes >= zip64_from_;
  Fields extra;
  if (large) extra.put(kZip64Id).put(uint16_t{16}).put(bytes).put(bytes);
  constexpr uint64_t kFixed = 30, kExtraHeader = 4;
  const uint64_t unpadded = member.offset + kFixed + member.name.size() + extra.str().size() + kExtraHeader;
  const uint16_t padding = static_cast<uint16_t>((kAlignment - unpadded % kAlignment) % kAlignment);
  extra.put(kPaddingId).put(padding).text(std::string(padding, 'Z'));

  Fields header;
  header.put(uint32_t{0x04034b50}).put(large ? kVersionZip64 : kVersionPlain).put(kUtf8Names).put(uint16_t{0});
  header.put(uint16_t{0}).put(kDosDate).put(member.crc);
  const uint32_t size_field = large ? kSeeZip64 : static_cast<uint32_t>(bytes);
  header.put(size_field).put(size_field);
  header.put(static_cast<uint16_t>(member.name.size())).put(static_cast<uint16_t>(extra.str().size()));
  header.text(member.name).text(extra.str());
  file_.write(header.str());
  file_.write(data, bytes);
  members_.push_back(member);
}

void ZipWriter::finish() {
  const uint64_t start = file_.written();
  for (const Member& member : members_) {
    const bool large = member.bytes >= zip64_from_, far = member.offset >= zip64_from_;
    Fields values;
    if (large) values.put(member.bytes).put(member.bytes);
    if (far) values.put(member.offset);
    Fields extra;
    if (large || far) extra.put(kZip64Id).put(static_cast<uint16_t>(values.str().size())).text(values.str());
    const uint16_t version = large || far ? kVersionZip64 : kVersionPlain;

    Fields header;
    header.put(uint32_t{0x02014b50}).put(version).put(version).put(kUtf8Names).put(uint16_t{0});
    header.put(uint16_t{0}).put(kDosDate).put(member.crc);
    const uint32_t size_field = large ? kSeeZip64 : static_cast<uint32_t>(member.bytes);
    header.put(size_field).put(size_field);
    header.put(static_cast<uint16_t>(member.name.size())).put(static_cast<uint16_t>(extra.str().size()));
    header.put(uint16_t{0}).put(uint16_t{0}).put(uint16_t{0}).put(uint32_t{0});  // comment, disk, attributes
    header.put(far ? kSeeZip64 : static_cast<uint32_t>(member.offset));
    header.text(member.name).text(extra.str());
    file_.write(header.str());
  }
  const uint64_t end = file_.written(), size = end - start, count = members_.size();
  const bool far = start >= zip64_from_ || size >= zip64_from_ || count >= 0xFFFF;
  Fields tail;
  if (far) {
    constexpr uint64_t kRest = 44;  // bytes of the record behind this field
    tail.put(uint32_t{0x06064b50}).put(kRest).put(kVersionZip64).put(kVersionZip64).put(uint32_t{0}).put(uint32_t{0});
    tail.put(count).put(count).put(size).put(start);
    tail.put(uint32_t{0x07064b50}).put(uint32_t{0}).put(end).put(uint32_t{1});
  }
  const uint16_t short_count = static_cast<uint16_t>(std::min<uint64_t>(count, 0xFFFF));
  tail.put(uint32_t{0x06054b50}).put(uint16_t{0}).put(uint16_t{0}).put(short_count).put(short_count);
  tail.put(static_cast<uint32_t>(std::min<uint64_t>(size, kSeeZip64)));
  tail.put(far ? kSeeZip64 : static_cast<uint32_t>(start)).put(uint16_t{0});
  file_.write(tail.str());
}

}  // namespace msprobe::report
