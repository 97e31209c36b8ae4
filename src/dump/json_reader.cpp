#include "dump/json_reader.h"

// RapidJSON 1.1 adds an offset to the null pointer of an empty stack, harmlessly; fuzzing shall not stop there.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "dump/json_scan.h"
#include "util/error.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

/// Numbers arrive as text: RapidJSON would lose the digits of long integers.
constexpr unsigned kFlags =
    rapidjson::kParseNanAndInfFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseIterativeFlag;

double to_double(const std::string& number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  // from_chars leaves the value alone where it is out of range; strtod gives the infinity or zero that it rounds to.
  return error == std::errc() ? value : std::strtod(number.c_str(), nullptr);
}

JsonValue to_number(std::string text) {
  JsonValue value;
  const bool negative = text.starts_with('-');
  const char first = text[negative ? 1 : 0];
  if (first == 'N' || first == 'I') {
    value.kind = JsonKind::kReal;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    value.real = first == 'N' ? std::numeric_limits<double>::quiet_NaN() : negative ? -kInfinity : kInfinity;
  } else if (text.find_first_of(".eE") != std::string::npos) {
    value.kind = JsonKind::kReal;
    value.real = to_double(text);
  } else if (std::from_chars(text.data(), text.data() + text.size(), value.integer).ec == std::errc()) {
    value.kind = JsonKind::kInteger;
  } else {
    value.kind = JsonKind::kBigInteger;
    value.text = std::move(text);
  }
  return value;
}

/// Builds the tree from RapidJSON's events.
class TreeBuilder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TreeBuilder> {
 public:
  explicit TreeBuilder(size_t max_values) : values_left_(max_values) {}

  bool Null() { return add({}); }
  bool Bool(bool boolean) {
    JsonValue value;
    value.kind = JsonKind::kBool;
    value.boolean = boolean;
    return add(std::move(value));
  }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    return add(to_number(std::string(text, length)));
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    JsonValue value;
    value.kind = JsonKind::kString;
    value.text.assign(text, length);
    return add(std::move(value));
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    open_.back().keys.emplace_back(text, length);
    return true;
  }
  bool StartObject() { return start(JsonKind::kObject); }
  bool StartArray() { return start(JsonKind::kList); }
  bool EndObject(rapidjson::SizeType) { return end(); }
  bool EndArray(rapidjson::SizeType) { return end(); }

  bool full() const { return values_left_ == 0; }
  JsonValue take_root() { return std::move(root_); }

 private:
  bool start(JsonKind kind) {
    open_.emplace_back().kind = kind;
    return true;
  }
  bool end() {
    JsonValue value = std::move(open_.back());
    open_.pop_back();
    return add(std::move(value));
  }
  bool add(JsonValue value) {
    if (values_left_ == 0) return false;
    --values_left_;
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }

  size_t values_left_;
  std::vector<JsonValue> open_;
  JsonValue root_;
};

void check_text(std::string_view text, const std::string& where, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw Error(where, "is " + std::to_string(text.size()) + " bytes of JSON, more than the limit of " +
                           std::to_string(limits.bytes));
  }
  JsonScanner scanner(text);
  try {
    scanner.skip_value();
    scanner.skip_space();
    if (!scanner.at_end()) scanner.fail("nothing behind the value");
  } catch (const JsonFault& fault) {
    throw Error(where, "not JSON at " + util::line_and_column(text, fault.offset) + ": " + fault.message);
  }
  if (scanner.depth() > limits.depth) {
    throw Error(where, "is nested " + std::to_string(scanner.depth()) + " levels deep, more than the limit of " +
                           std::to_string(limits.depth));
  }
}

/// Valid JSON that RapidJSON refuses, in other words: Python reads numbers too large for a double as infinite, and
/// writes single halves of surrogate pairs.
class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  std::string rewrite() {
    bool in_string = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') in_string = !in_string;
      if (in_string && c == '\\') {
        copy_escape();
      } else if (!in_string && (c == '-' || (c >= '0' && c <= '9'))) {
        copy_number();
      } else {
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  void copy(size_t bytes) {
    out_ += text_.substr(at_, bytes);
    at_ += bytes;
  }
  void copy_number() {
    const size_t end = std::min(text_.find_first_not_of("+-.eE0123456789", at_), text_.size());
    const std::string number(text_.substr(at_, end - at_));
    const double value = std::strtod(number.c_str(), nullptr);
    if (std::isinf(value)) {
      out_ += value < 0 ? "-Infinity" : "Infinity";
    } else if (number.find_first_of(".eE") == std::string::npos) {
      out_ += number;
    } else {  // 0e999 is no large number, but has a large exponent
      char digits[32];
      out_.append(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific).ptr);
    }
    at_ = end;
  }
  /// 0xD8.. to 0xDF..: the code unit of the escape at `at`; 0 for anything else.
  unsigned surrogate(size_t at) const {
    if (text_.substr(at, 2) != "\\u") return 0;
    unsigned unit = 0;
    std::from_chars(text_.data() + at + 2, text_.data() + at + 6, unit, 16);
    return unit >= 0xD800 && unit < 0xE000 ? unit : 0;
  }
  void copy_escape() {
    constexpr unsigned kFirstLow = 0xDC00;
    constexpr size_t kEscape = 6;
    const unsigned first = surrogate(at_);
    if (first == 0) return copy(2);
    if (first < kFirstLow && surrogate(at_ + kEscape) >= kFirstLow) return copy(2 * kEscape);
    out_ += "\\ufffd";
    at_ += kEscape;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
};

rapidjson::ParseErrorCode parse(std::string_view text, TreeBuilder& builder) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  return rapidjson::Reader().Parse<kFlags>(stream, builder).Code();
}

bool may_hold_surrogates(std::string_view text) {
  return text.find("\\ud") != std::string_view::npos || text.find("\\uD") != std::string_view::npos;
}

void append_string(std::string_view text, size_t limit, std::string& out) {
  text = text.substr(0, limit);  // no more will be shown
  out += '"';
  for (const char c : text) {
    constexpr char kHex[] = "0123456789abcdef";
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    } else {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
  }
  out += '"';
}

void append_text(const JsonValue& value, size_t limit, std::string& out) {
  if (out.size() > limit) return;
  switch (value.kind) {
    case JsonKind::kNull:
      out += "null";
      return;
    case JsonKind::kBool:
      out += value.boolean ? "true" : "false";
      return;
    case JsonKind::kInteger:
      out += std::to_string(value.integer);
      return;
    case JsonKind::kBigInteger:
      out += value.text;
      return;
    case JsonKind::kString:
      return append_string(value.text, limit, out);
    case JsonKind::kReal: {
      if (std::isnan(value.real)) {
        out += "NaN";
      } else if (std::isinf(value.real)) {
        out += value.real < 0 ? "-Infinity" : "Infinity";
      } else {
        char digits[32];
        out.append(digits, std::to_chars(digits, digits + sizeof digits, value.real).ptr);
      }
      return;
    }
    case JsonKind::kList:
    case JsonKind::kObject: {
      const bool object = value.is(JsonKind::kObject);
      out += object ? '{' : '[';
      for (size_t i = 0; i < value.items.size() && out.size() <= limit; ++i) {
        if (i > 0) out += ", ";
        if (object) {
          append_string(value.keys[i], limit, out);
          out += ": ";
        }
        append_text(value.items[i], limit, out);
      }
      out += object ? '}' : ']';
      return;
    }
  }
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (size_t i = keys.size(); i-- > 0;) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

JsonValue read_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  check_text(text, where, limits);
  TreeBuilder builder(limits.values);
  const auto parse_rewritten = [&] {
    builder = TreeBuilder(limits.values);
    return parse(Rewriter(text).rewrite(), builder);
  };
  auto code = may_hold_surrogates(text) ? parse_rewritten() : parse(text, builder);
  if (code == rapidjson::kParseErrorNumberTooBig) code = parse_rewritten();
  if (code == rapidjson::kParseErrorNone) return builder.take_root();
  if (builder.full()) {
    throw Error(where, "holds more JSON values than the limit of " + std::to_string(limits.values));
  }
  throw Error(where, "not JSON (RapidJSON error " + std::to_string(static_cast<int>(code)) + ")");
}

std::string json_text(const JsonValue& value, size_t limit) {
  std::string out;
  append_text(value, limit, out);
  return util::shortened(out, limit);
}

}  // namespace msprobe::dump
