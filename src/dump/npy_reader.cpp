#include "dump/npy_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "dump/aligned.h"
#include "dump/bytes.h"
#include "util/error.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeCode {
  std::string_view code;  ///< without the byte order in front
  Dtype dtype;
  int64_t word;  ///< bytes that swap places in the other byte order
};

constexpr std::array kTypeCodes = {
    TypeCode{"b1", Dtype::kBool, 1},      TypeCode{"i1", Dtype::kInt8, 1},        TypeCode{"u1", Dtype::kUint8, 1},
    TypeCode{"i2", Dtype::kInt16, 2},     TypeCode{"u2", Dtype::kUint16, 2},      TypeCode{"i4", Dtype::kInt32, 4},
    TypeCode{"u4", Dtype::kUint32, 4},    TypeCode{"i8", Dtype::kInt64, 8},       TypeCode{"u8", Dtype::kUint64, 8},
    TypeCode{"f2", Dtype::kFloat16, 2},   TypeCode{"f4", Dtype::kFloat32, 4},     TypeCode{"f8", Dtype::kFloat64, 8},
    TypeCode{"c8", Dtype::kComplex64, 4}, TypeCode{"c16", Dtype::kComplex128, 8},
};

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<int64_t>> shape;
};

/// Reads the header, a Python dict such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Header read() {
    Header header;
    require('{');
    while (!take('}')) {
      const std::string key = string();
      require(':');
      if (key == "descr" && !header.descr) {
        header.descr = description();
      } else if (key == "fortran_order" && !header.fortran_order) {
        header.fortran_order = boolean();
      } else if (key == "shape" && !header.shape) {
        header.shape = shape();
      } else {
        fail("has the key " + util::quoted(key) + " that it should not have, or not twice");
      }
      if (!take(',')) {
        require('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("goes on behind its dict");
    if (!header.descr || !header.fortran_order || !header.shape) fail("lacks descr, fortran_order or shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(where_, "its .npy header " + what + " (character " + std::to_string(at_) + ")");
  }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void require(char c) {
    if (!take(c)) fail(std::string("lacks '") + c + "'");
  }

  std::string string() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'') require('\'');
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("holds a string that does not end");
    const std::string_view result = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(result);
  }
  std::string description() {
    if (take('[') || take('(')) throw Error(where_, "is a structured array, expected numbers");
    return string();
  }
  bool boolean() {
    if (take("True")) return true;
    if (!take("False")) fail("has a fortran_order that is neither True nor False");
    return false;
  }
  int64_t size() {
    skip_space();
    int64_t value = 0;
    const size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        fail("has a size in its shape that 64 bits cannot hold");
      }
    }
    if (at_ == begin) fail("has a shape that is not made of sizes");
    take('L');  // Python 2 wrote long integers so
    return value;
  }
  std::vector<int64_t> shape() {
    std::vector<int64_t> sizes;
    require('(');
    while (!take(')')) {
      sizes.push_back(size());
      if (take(',')) continue;
      require(')');
      break;
    }
    return sizes;
  }

  std::string_view text_;
  const std::string& where_;
  size_t at_ = 0;
};

/// Position and text of the header.
std::pair<size_t, std::string_view> find_header(std::string_view file, const std::string& where) {
  constexpr size_t kVersionAt = 6, kLengthAt = 8;
  const auto cut_off = [&] { throw Error(where, "its .npy header is cut off", "copy the file again, or dump again"); };
  if (file.size() < kLengthAt + 2) cut_off();
  const int major = file[kVersionAt];
  if (major < 1 || major > 3) throw Error(where, "has .npy version " + std::to_string(major) + ", expected 1, 2 or 3");
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (file.size() < kLengthAt + length_bytes) cut_off();
  const uint64_t length = major == 1 ? load_little<uint16_t>(file, kLengthAt) : load_little<uint32_t>(file, kLengthAt);
  const size_t begin = kLengthAt + length_bytes;
  if (length > file.size() - begin) cut_off();
  constexpr uint64_t kMaxHeader = 65536;
  if (length > kMaxHeader) throw Error(where, "has a .npy header of " + std::to_string(length) + " bytes");
  return {begin, file.substr(begin, length)};
}

struct Element {
  const TypeCode* type;
  bool swapped;
};

Element read_description(const std::string& descr, const std::string& where) {
  const std::string_view code = std::string_view(descr).substr(std::min<size_t>(1, descr.size()));
  const char order = descr.empty() ? '\0' : descr[0];
  if (std::string_view("<>|=").find(order) != std::string_view::npos && order != '\0') {
    for (const TypeCode& row : kTypeCodes) {
      if (row.code == code) return {&row, order == '>' && row.word > 1};
    }
  }
  if (code.starts_with('O')) throw Error(where, "is an array of Python objects, which is not read: it would run code");
  throw Error(where, "is an array of dtype " + util::quoted(descr) + ", expected numbers or booleans");
}

void swap_words(char* data, size_t bytes, size_t word) {
  for (size_t at = 0; at < bytes; at += word) std::reverse(data + at, data + at + word);
}

/// Strides in elements.
std::vector<int64_t> strides_of(const std::vector<int64_t>& sizes, bool fortran_order) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t dim = fortran_order ? i : sizes.size() - 1 - i;
    strides[dim] = step;
    step *= std::max<int64_t>(sizes[dim], 1);
  }
  return strides;
}

int64_t bytes_of(const std::vector<int64_t>& sizes, int64_t element, const std::string& where) {
  int64_t bytes = element, extent = element;  // extent: with empty dimensions counted as 1, so that strides fit as well
  bool overflow = false;
  for (const int64_t size : sizes) {
    overflow |= __builtin_mul_overflow(extent, std::max<int64_t>(size, 1), &extent);
    bytes = size == 0 || bytes == 0 ? 0 : extent;
  }
  if (overflow) throw Error(where, "its shape is larger than 64 bits can count");
  return bytes;
}

}  // namespace

bool is_npy(std::string_view file) {
  return file.starts_with(kMagic);
}

TensorFile read_npy(char* data, size_t size, std::shared_ptr<void> owner, const std::string& where) {
  const std::string_view file(data, size);
  if (!is_npy(file)) throw Error(where, "is no .npy file: it begins with " + util::quoted(file, 8));
  const auto [header_begin, header_text] = find_header(file, where);
  const Header header = HeaderReader(header_text, where).read();
  const Element element = read_description(*header.descr, where);
  TensorFile result;
  result.dtype = element.type->dtype;
  result.sizes = *header.shape;
  const int64_t bytes = bytes_of(result.sizes, dtype_size(result.dtype), where);
  const size_t begin = header_begin + header_text.size();
  if (static_cast<uint64_t>(bytes) != size - begin) {
    throw Error(where,
                "its shape needs " + std::to_string(bytes) + " bytes, " + std::to_string(size - begin) + " are there",
                "copy the file again, or dump again");
  }
  result.strides = strides_of(result.sizes, *header.fortran_order);
  result.storage_bytes = bytes;
  result.data = data + begin;
  result.owner = std::move(owner);
  if (element.swapped) {
    make_own_copy(result);
    swap_words(static_cast<char*>(result.data), static_cast<size_t>(bytes), static_cast<size_t>(element.type->word));
  }
  make_aligned(result);
  return result;
}

}  // namespace msprobe::dump
