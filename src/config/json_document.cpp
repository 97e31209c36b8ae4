// JSON by nlohmann's SAX parser. It gives positions only with errors, so the input is read through an iterator that
// tells how far the parser has come; at each event that is the end of the token at hand.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "config/document_builder.h"
#include "util/one_line.h"

namespace msprobe::config {
namespace {

/// Input iterator over the text that leaves its position in `*reached`.
class Tracked {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  Tracked(const char* at, const char** reached) : at_(at), reached_(reached) {}
  const char& operator*() const { return *at_; }
  Tracked& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  Tracked operator++(int) {
    Tracked before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Tracked& other) const { return at_ == other.at_; }
  bool operator!=(const Tracked& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(DocumentBuilder& builder, std::string_view text, const std::string& path)
      : builder_(builder), text_(text), path_(path), counted_(text.data()), reached_(text.data()) {}
  const char** reached() { return &reached_; }

  bool null() override { return add(Node::Kind::kNull, ""); }
  bool boolean(bool value) override { return add(Node::Kind::kBool, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return add(Node::Kind::kInteger, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Node::Kind::kInteger, std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override {
    const bool whole = text.find_first_of(".eE") == string_t::npos;  // an integer of more than 64 bits
    return add(whole ? Node::Kind::kInteger : Node::Kind::kFloat, text, 1);
  }
  bool string(string_t& value) override { return add(Node::Kind::kString, value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return begin(Node::Kind::kMap); }
  bool start_array(size_t) override { return begin(Node::Kind::kList); }
  bool end_object() override { return builder_.end(), true; }
  bool end_array() override { return builder_.end(), true; }
  bool key(string_t& value) override {
    builder_.key(value, line());
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& failure) override {
    // Its text is "[json.exception...] parse error at line 1, column 2: syntax error while ... - reason"; the reason is
    // what tells.
    std::string reason = failure.what();
    for (const char* lead : {"] ", ": ", " - "})
      if (const size_t at = reason.find(lead); at != std::string::npos)
        reason.erase(0, at + std::string_view(lead).size());
    const size_t before = std::min(position > 0 ? position - 1 : 0, text_.size());
    const std::string_view head = text_.substr(0, before);
    const size_t line_start = head.rfind('\n');
    const size_t column = before - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
    throw Error(fmt::format("{}:{}:{}", path_, std::count(head.begin(), head.end(), '\n') + 1, column),
                "not valid JSON: " + util::one_line(reason), "check commas, brackets and quotes around that place");
  }

 private:
  /// Line of the token at hand; a number ends one character before the place that the parser has reached.
  int line(int ahead = 0) {
    const char* end = std::max(counted_, reached_ - ahead);
    lines_ += static_cast<int>(std::count(counted_, end, '\n'));
    counted_ = end;
    return lines_;
  }
  bool add(Node::Kind kind, std::string text, int ahead = 0) {
    builder_.scalar(kind, std::move(text), line(kind == Node::Kind::kInteger ? 1 : ahead));
    return true;
  }
  bool begin(Node::Kind kind) {
    builder_.begin(kind, line());
    return true;
  }

  DocumentBuilder& builder_;
  std::string_view text_;
  const std::string& path_;
  const char* counted_;
  const char* reached_;
  int lines_ = 1;
};

}  // namespace

Node parse_json(std::string_view text, const std::string& path) {
  DocumentBuilder builder(path);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw Error(path, "is empty, expected JSON", "write {} where every setting is to be as it is by default");
  Handler handler(builder, text, path);
  nlohmann::json::sax_parse(Tracked(text.data(), handler.reached()),
                            Tracked(text.data() + text.size(), handler.reached()), &handler);
  return builder.take();
}

}  // namespace msprobe::config
