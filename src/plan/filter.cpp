#include "plan/filter.h"

#include <cstring>
#include <set>
#include <string_view>

#include "util/error.h"

namespace msprobe::plan {
namespace {

// Two independent 64-bit hashes of one stream of tagged pieces; lengths go in before contents, so that pieces cannot
// run into each other. Chance of taking two calls among 10^6 for one: about 10^-27.
class Hasher {
 public:
  void tag(char c) { put(static_cast<uint64_t>(static_cast<unsigned char>(c))); }
  void put(uint64_t value) {
    a_ = mix(a_ ^ value, 0x9E3779B97F4A7C15u);
    b_ = mix(b_ + value, 0xD6E8FEB86659FD93u);
  }
  void text(std::string_view text) {
    put(text.size());
    for (size_t i = 0; i < text.size(); i += 8) {
      uint64_t piece = 0;
      std::memcpy(&piece, text.data() + i, std::min<size_t>(8, text.size() - i));
      put(piece);
    }
  }
  Fingerprint result() const { return {a_, b_}; }

 private:
  static uint64_t mix(uint64_t value, uint64_t factor) {
    value *= factor;
    value ^= value >> 32;
    value *= factor;
    return value ^ value >> 29;
  }
  uint64_t a_ = 1, b_ = 2;
};

void put(Hasher& hash, const dump::Argument& argument);

void put(Hasher& hash, const dump::ArgumentList& list) {
  hash.put(list.size());
  for (const auto& item : list) put(hash, item);
}

void put(Hasher& hash, const std::vector<std::pair<std::string, dump::Argument>>& named) {
  hash.put(named.size());
  for (const auto& [name, argument] : named) {
    hash.text(name);
    put(hash, argument);
  }
}

struct Visitor {
  Hasher& hash;
  void operator()(const dump::NoneArg&) const {}
  void operator()(const dump::OpaqueArg&) const {}
  void operator()(const dump::EllipsisArg&) const {}
  void operator()(bool value) const { hash.put(value ? 1 : 0); }
  void operator()(int64_t value) const { hash.put(static_cast<uint64_t>(value)); }
  void operator()(double value) const {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash.put(bits);
  }
  void operator()(const std::string& value) const { hash.text(value); }
  void operator()(const dump::BigIntArg& value) const { hash.text(value.digits); }
  void operator()(const dump::DtypeArg& value) const { hash.text(value.name); }
  void operator()(const dump::DeviceArg& value) const { hash.text(value.name); }
  void operator()(const dump::MemoryFormatArg& value) const { hash.text(value.name); }
  void operator()(const dump::SliceArg& value) const { put(hash, value.parts); }
  void operator()(const dump::ListArg& value) const {
    hash.put(value.is_size ? 1 : 0);
    put(hash, value.items);
  }
  void operator()(const dump::DictArg& value) const { put(hash, value.items); }
  void operator()(const dump::UnknownArg& value) const { hash.text(value.text); }
  void operator()(const dump::TensorMeta& value) const {
    hash.text(value.type);
    hash.text(value.dtype);
    hash.put(value.shape.size());
    for (int64_t d : value.shape) hash.put(static_cast<uint64_t>(d));
    hash.put(value.requires_grad ? 1 : 0);
  }
};

void put(Hasher& hash, const dump::Argument& argument) {
  hash.tag(static_cast<char>('A' + argument.value.index()));
  hash.text(argument.numpy_type);
  std::visit(Visitor{hash}, argument.value);
}

}  // namespace

Fingerprint fingerprint(const dump::Record& record) {
  Hasher hash;
  hash.text(record.name.type);
  hash.text(record.name.name);
  put(hash, record.forward.args);
  put(hash, record.forward.kwargs);
  hash.tag(record.forward.output ? 'o' : '-');
  if (record.forward.output) put(hash, *record.forward.output);
  hash.tag(record.backward ? 'b' : '-');
  if (record.backward) {
    put(hash, record.backward->input);
    put(hash, record.backward->output);
    hash.tag(record.backward->fault.empty() ? 'r' : 'f');  // it names the API
  }
  return hash.result();
}

std::vector<size_t> without_alike(const dump::Index& index, const std::vector<size_t>& todo) {
  std::set<Fingerprint> seen;
  std::vector<size_t> kept;
  for (size_t i : todo) {
    bool first = true;
    try {
      first = seen.insert(fingerprint(index.read(i))).second;
    } catch (const Error&) {
      // It becomes a row that says why it cannot be read.
    }
    if (first) kept.push_back(i);
  }
  return kept;
}

}  // namespace msprobe::plan
