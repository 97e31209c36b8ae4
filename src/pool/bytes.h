// Values into bytes and back, in native byte order. What is read comes from a worker that runs foreign code: every
// length is checked, and a read that fails leaves what follows unread.
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace msprobe::pool {

class Writer {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof bytes);
  }
  void put_text(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    out_ += text;
  }
  void put_optional(const std::optional<double>& value) {
    put(static_cast<uint8_t>(value.has_value()));
    put(value.value_or(0));
  }
  void append(std::string_view bytes) { out_ += bytes; }
  /// What was written, which is then gone.
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  template <class T>
  bool get(T& value) {
    if (text_.size() < sizeof value) return false;
    std::memcpy(&value, text_.data(), sizeof value);
    text_.remove_prefix(sizeof value);
    return true;
  }
  bool get_text(std::string& text) {
    uint32_t size = 0;
    if (!get(size) || text_.size() < size) return false;
    text = text_.substr(0, size);
    text_.remove_prefix(size);
    return true;
  }
  bool get_optional(std::optional<double>& value) {
    uint8_t there = 0;
    double number = 0;
    if (!get(there) || !get(number) || there > 1) return false;
    if (there == 1) value = number;
    return true;
  }
  /// `count`: of its values, 0 to count - 1.
  template <class Enum>
  bool get_enum(Enum& value, size_t count) {
    uint8_t number = 0;
    if (!get(number) || number >= count) return false;
    value = static_cast<Enum>(number);
    return true;
  }
  size_t left() const { return text_.size(); }

 private:
  std::string_view text_;
};

}  // namespace msprobe::pool
