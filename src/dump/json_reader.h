// One small JSON text (a record, a key) as a tree. RapidJSON does the work and stays behind this header.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::dump {

enum class JsonKind : uint8_t { kNull, kBool, kInteger, kBigInteger, kReal, kString, kList, kObject };

struct JsonValue {
  JsonKind kind = JsonKind::kNull;
  bool boolean = false;
  int64_t integer = 0;  ///< kInteger
  double real = 0;      ///< kReal; what a double cannot hold (1e400) is infinite, as in Python
  std::string text;     ///< kString: UTF-8, escapes resolved; kBigInteger: the digits, where int64 is too small (beyond
                        ///< 308 digits: kReal, infinite)
  std::vector<JsonValue> items;   ///< kList: elements; kObject: values
  std::vector<std::string> keys;  ///< kObject: one an item, in order

  bool is(JsonKind other) const { return kind == other; }
  /// The member of an object; of several with one key the last, as Python does. nullptr when there is none.
  const JsonValue* find(std::string_view key) const;
};

struct JsonLimits {
  size_t depth = 1000;
  size_t bytes = size_t{256} << 20;  ///< of text
  size_t values = 4'000'000;         ///< keeps a tree below about 1 GB
};

/// Parses exactly one value, with bare NaN, Infinity, -Infinity. Halves of surrogate pairs that stand alone become
/// U+FFFD. Throws Error: not JSON (with line and column), deeper, longer or of more values than `limits`.
JsonValue read_json(std::string_view text, const std::string& where, const JsonLimits& limits = {});

/// The value as JSON on one line, cut after about `limit` bytes.
std::string json_text(const JsonValue& value, size_t limit);

}  // namespace msprobe::dump
