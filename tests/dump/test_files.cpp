// Shared by the tests of this folder.
#include "dump/test_files.h"

#include <zlib.h>

namespace msprobe::dump {
namespace {

uint32_t crc_of(const std::string& data) {
  return static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
}

std::string local_header(const ZipEntry& entry) {
  const std::string& name = entry.local_name ? *entry.local_name : entry.name;
  return "PK\x03\x04" + little(20, 2) + little(entry.flags, 2) + little(entry.method, 2) + little(0, 4) +
         little(crc_of(entry.data), 4) + little(entry.data.size(), 4) + little(entry.data.size(), 4) +
         little(name.size(), 2) + little(0, 2) + name;
}

std::string directory_entry(const ZipEntry& entry, uint64_t header) {
  return "PK\x01\x02" + little(20, 2) + little(20, 2) + little(entry.flags, 2) + little(entry.method, 2) +
         little(0, 4) + little(entry.crc.value_or(crc_of(entry.data)), 4) +
         little(entry.stored_size.value_or(entry.data.size()), 4) + little(entry.size.value_or(entry.data.size()), 4) +
         little(entry.name.size(), 2) + little(entry.extra.size(), 2) + little(0, 2) + little(0, 2) + little(0, 2) +
         little(0, 4) + little(entry.header.value_or(header), 4) + entry.name + entry.extra;
}

}  // namespace

std::string build_zip(const std::vector<ZipEntry>& entries, const ZipEnd& end) {
  std::string archive, directory;
  for (const ZipEntry& entry : entries) {
    directory += directory_entry(entry, archive.size());
    archive += local_header(entry) + entry.data;
  }
  const uint64_t begin = archive.size();
  archive += directory;
  const uint64_t count = end.count.value_or(entries.size()), size = end.size.value_or(directory.size());
  const uint64_t claimed_begin = end.begin.value_or(begin);
  if (end.zip64) {
    const uint64_t end64 = archive.size();
    archive += "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 4) + little(0, 4) +
               little(count, 8) + little(count, 8) + little(size, 8) + little(claimed_begin, 8);
    archive += "PK\x06\x07" + little(0, 4) + little(end.end64.value_or(end64), 8) + little(1, 4);
    archive += "PK\x05\x06" + little(0, 4) + little(0xFFFF, 2) + little(0xFFFF, 2) + little(0xFFFFFFFF, 4) +
               little(end.begin32.value_or(0xFFFFFFFF), 4);
  } else {
    archive +=
        "PK\x05\x06" + little(0, 4) + little(count, 2) + little(count, 2) + little(size, 4) + little(claimed_begin, 4);
  }
  return archive + little(end.comment.size(), 2) + end.comment;
}

namespace pickle {

std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

std::string text(const std::string& value) {
  return std::string("X") + little(value.size(), 4) + value;
}

std::string integer(int64_t value) {
  return "\x8a\x08" + little(static_cast<uint64_t>(value), 8);
}

std::string tuple(const std::vector<std::string>& items) {
  std::string result = "(";
  for (const std::string& item : items) result += item;
  return result + "t";
}

std::string integers(const std::vector<int64_t>& values) {
  std::vector<std::string> items;
  for (const int64_t value : values) items.push_back(integer(value));
  return tuple(items);
}

std::string call(const std::string& callable, const std::vector<std::string>& arguments) {
  return callable + tuple(arguments) + "R";
}

std::string hooks() {
  return call(global("collections", "OrderedDict"), {});
}

std::string storage(const std::string& type, const std::string& key, int64_t count) {
  return tuple({text("storage"), global("torch", type), text(key), text("cpu"), integer(count)}) + "Q";
}

std::string tensor(int64_t count, int64_t offset, const std::vector<int64_t>& sizes,
                   const std::vector<int64_t>& strides) {
  return call(global("torch._utils", "_rebuild_tensor_v2"), {storage("FloatStorage", "0", count), integer(offset),
                                                             integers(sizes), integers(strides), "\x89", hooks()});
}

std::string whole(const std::string& body) {
  return "\x80\x02" + body + ".";
}

}  // namespace pickle

std::string build_pt(const std::string& pickle, const std::string& storage) {
  return build_zip({{.name = "x/data.pkl", .data = pickle},
                    {.name = "x/byteorder", .data = "little"},
                    {.name = "x/data/0", .data = storage}});
}

}  // namespace msprobe::dump
