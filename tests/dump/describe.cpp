// Shared by the tests of this folder.
#include "dump/describe.h"

#include <cmath>
#include <cstdio>

namespace msprobe::dump {
namespace {

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string boolean(bool value) {
  return value ? "True" : "False";
}

template <class Items, class Describe>
std::string joined(const Items& items, Describe describe_one) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + describe_one(item);
  return text;
}

std::string tuple(const std::vector<int64_t>& numbers) {
  return std::string("(") + joined(numbers, [](int64_t number) { return std::to_string(number); }) + ")";
}

std::string members(const std::vector<std::pair<std::string, Argument>>& items) {
  return std::string("{") + joined(items, [](const auto& item) { return item.first + "=" + describe(item.second); }) +
         "}";
}

struct StatisticWords {
  std::string operator()(Absent) const { return "-"; }
  std::string operator()(Null) const { return "null"; }
  std::string operator()(bool value) const { return boolean(value); }
  std::string operator()(int64_t value) const { return "int " + std::to_string(value); }
  std::string operator()(double value) const { return number(value); }
  std::string operator()(const OtherText& other) const { return "other " + other.text; }
};

struct ArgumentWords {
  std::string operator()(NoneArg) const { return "None"; }
  std::string operator()(OpaqueArg) const { return "Opaque"; }
  std::string operator()(bool value) const { return boolean(value); }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(const BigIntArg& value) const { return value.digits; }
  std::string operator()(double value) const { return "float " + number(value); }
  std::string operator()(const std::string& value) const { return "\"" + value + "\""; }
  std::string operator()(EllipsisArg) const { return "Ellipsis"; }
  std::string operator()(const DtypeArg& value) const { return "dtype " + value.name; }
  std::string operator()(const DeviceArg& value) const { return "device " + value.name; }
  std::string operator()(const MemoryFormatArg& value) const { return "memory_format " + value.name; }
  std::string operator()(const SliceArg& value) const { return "slice" + describe(value.parts); }
  std::string operator()(const ListArg& value) const { return (value.is_size ? "Size" : "") + describe(value.items); }
  std::string operator()(const DictArg& value) const { return members(value.items); }
  std::string operator()(const TensorMeta& meta) const {
    std::string text = std::string("<") + meta.type + " " + meta.dtype + " " + tuple(meta.shape);
    for (const Statistic* statistic :
         {&meta.max, &meta.min, &meta.mean, &meta.norm, &meta.max_except_inf_nan, &meta.min_except_inf_nan}) {
      text += " " + describe(*statistic);
    }
    return text + " " + boolean(meta.requires_grad) + " \"" + meta.data_name + "\">";
  }
  std::string operator()(const UnknownArg& value) const { return "unknown " + value.text; }
};

std::string hex_of_elements(const TensorFile& tensor) {
  int64_t count = 1;
  for (const int64_t size : tensor.sizes) count *= size;
  std::vector<int64_t> index(tensor.sizes.size());
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * tensor.strides[d];
    const auto* element = static_cast<const unsigned char*>(tensor.data) + at * dtype_size(tensor.dtype);
    for (int64_t b = 0; b < dtype_size(tensor.dtype); ++b) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", element[b]);
      text += digits;
    }
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < tensor.sizes[d]) break;
      index[d] = 0;
    }
  }
  return text;
}

}  // namespace

std::string describe(const Statistic& statistic) {
  return std::visit(StatisticWords(), statistic);
}

std::string describe(const Argument& argument) {
  return (argument.numpy_type.empty() ? "" : "numpy." + argument.numpy_type + " ") +
         std::visit(ArgumentWords(), argument.value);
}

std::string describe(const ArgumentList& list) {
  return std::string("[") + joined(list, [](const Argument& argument) { return describe(argument); }) + "]";
}

std::string describe(const ForwardRecord& record) {
  return "args " + describe(record.args) + " kwargs " + members(record.kwargs) + " output " +
         (record.output ? describe(*record.output) : "-");
}

std::string describe(const BackwardRecord& record) {
  return "input " + describe(record.input) + " output " + describe(record.output);
}

std::string describe(const TensorFile& tensor) {
  return std::string(dtype_name(tensor.dtype)) + " " + tuple(tensor.sizes) + " " + tuple(tensor.strides) + " " +
         boolean(tensor.requires_grad) + " " + boolean(tensor.conj) + " " + boolean(tensor.neg) + " " +
         hex_of_elements(tensor);
}

}  // namespace msprobe::dump
