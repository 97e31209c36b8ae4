#include "report/pt_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "report/zip_writer.h"
#include "util/atomic_file.h"
#include "util/error.h"

namespace msprobe::report {
namespace {

/// How torch.save writes a dtype: with a storage class of its own, or untyped with the dtype beside it. Python cannot
/// rebuild an untyped one that requires a gradient (torch 2.13: _rebuild_tensor_v3 fills a leaf in place), so those
/// never do.
struct DtypeRow {
  std::string_view name;
  int64_t bytes;
  std::string_view storage;  ///< empty: untyped
  bool keeps_grad;           ///< requires_grad may be true
};
constexpr std::array kDtypes = std::to_array<DtypeRow>({
    {"bool", 1, "BoolStorage", false},
    {"uint8", 1, "ByteStorage", false},
    {"int8", 1, "CharStorage", false},
    {"int16", 2, "ShortStorage", false},
    {"int32", 4, "IntStorage", false},
    {"int64", 8, "LongStorage", false},
    {"float16", 2, "HalfStorage", true},
    {"bfloat16", 2, "BFloat16Storage", true},
    {"float32", 4, "FloatStorage", true},
    {"float64", 8, "DoubleStorage", true},
    {"complex64", 8, "ComplexFloatStorage", true},
    {"complex128", 16, "ComplexDoubleStorage", true},
    {"complex32", 4, "", false},
    {"uint16", 2, "", false},
    {"uint32", 4, "", false},
    {"uint64", 8, "", false},
    {"float8_e4m3fn", 1, "", false},
    {"float8_e4m3fnuz", 1, "", false},
    {"float8_e5m2", 1, "", false},
    {"float8_e5m2fnuz", 1, "", false},
    {"float8_e8m0fnu", 1, "", false},
});

const DtypeRow& find_dtype(const std::string& path, std::string_view name) {
  std::string_view bare = name;
  if (bare.starts_with("torch.")) bare.remove_prefix(6);
  const auto row = std::find_if(kDtypes.begin(), kDtypes.end(), [&](const DtypeRow& d) { return d.name == bare; });
  if (row == kDtypes.end()) throw Error(path, fmt::format("tensors of dtype {} cannot be saved", name));
  return *row;
}

/// Elements of the tensor; throws when the sizes are no sizes or do not fit the bytes that are there.
int64_t count_elements(const std::string& path, const DtypeRow& dtype, const std::vector<int64_t>& sizes,
                       uint64_t bytes) {
  int64_t count = 1;
  bool fits = true;
  for (const int64_t size : sizes) fits = fits && size >= 0 && !__builtin_mul_overflow(count, size, &count);
  int64_t needed = 0;
  fits = fits && !__builtin_mul_overflow(count, dtype.bytes, &needed);
  if (!fits || static_cast<uint64_t>(needed) != bytes)
    throw Error(path,
                fmt::format("{} bytes are no {} tensor of shape ({})", bytes, dtype.name, fmt::join(sizes, ", ")));
  return count;
}

/// The opcodes of pickle protocol 2 that a tensor needs.
class Pickle {
 public:
  Pickle() { text_ = "\x80\x02"; }
  void global(std::string_view module, std::string_view name) { text_ += fmt::format("c{}\n{}\n", module, name); }
  void text(std::string_view value) {
    text_ += 'X';
    number<uint32_t>(value.size());
    text_ += value;
  }
  void boolean(bool value) { text_ += value ? '\x88' : '\x89'; }
  void integer(int64_t value) {
    if (value >= 0 && value < 256) {
      text_ += 'K';
      number<uint8_t>(value);
    } else if (value >= 0 && value < 65536) {
      text_ += 'M';
      number<uint16_t>(value);
    } else if (value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max()) {
      text_ += 'J';
      number<int32_t>(value);
    } else {
      text_ += "\x8a\x08";  // always 8 bytes: LibTorch's own reader takes no other length
      number<int64_t>(value);
    }
  }
  void integers(const std::vector<int64_t>& values) {
    text_ += '(';
    for (const int64_t value : values) integer(value);
    text_ += 't';
  }
  void opcodes(std::string_view codes) { text_ += codes; }
  const std::string& str() const { return text_; }

 private:
  template <typename T, typename V>
  void number(V value) {
    const T narrow = static_cast<T>(value);
    text_.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  }
  std::string text_;
};

std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  uint64_t stride = 1;  // unsigned: beside a size of 0 the others may be so large that it wraps
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(std::max<int64_t>(sizes[i], 1));
  }
  return strides;
}

/// torch._utils._rebuild_tensor_v2(storage, 0, size, stride, requires_grad, OrderedDict()), or _v3 with the dtype
/// behind it.
std::string describe_tensor(const DtypeRow& dtype, const std::vector<int64_t>& sizes, int64_t count,
                            bool requires_grad) {
  const bool untyped = dtype.storage.empty();
  Pickle p;
  p.global("torch._utils", untyped ? "_rebuild_tensor_v3" : "_rebuild_tensor_v2");
  p.opcodes("((");
  p.text("storage");
  untyped ? p.global("torch.storage", "UntypedStorage") : p.global("torch", dtype.storage);
  p.text("0");  // the member data/0
  p.text("cpu");
  p.integer(untyped ? count * dtype.bytes : count);
  p.opcodes("tQ");
  p.integer(0);  // offset into the storage
  p.integers(sizes);
  p.integers(contiguous_strides(sizes));
  p.boolean(requires_grad && dtype.keeps_grad);
  p.global("collections", "OrderedDict");
  p.opcodes(")R");
  if (untyped) p.global("torch", dtype.name);
  p.opcodes("tR.");
  return p.str();
}

}  // namespace

void write_pt(const std::string& path, const std::string& dtype, const std::vector<int64_t>& sizes, const void* data,
              uint64_t bytes, bool requires_grad) {
  const DtypeRow& row = find_dtype(path, dtype);
  const int64_t count = count_elements(path, row, sizes, bytes);
  util::AtomicFile file(path, 0640, bytes);
  ZipWriter zip(file);
  zip.add("archive/data.pkl", describe_tensor(row, sizes, count, requires_grad));
  zip.add("archive/byteorder", "little");
  zip.add("archive/data/0", data, bytes);
  zip.add("archive/version", "3\n");
  zip.finish();
  file.commit();
}

}  // namespace msprobe::report
