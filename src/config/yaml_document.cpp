// YAML by yaml-cpp's events rather than its nodes: events carry lines and leave aliases to us, so that no file can make
// the tree grow without bound or point into itself.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <array>
#include <map>
#include <sstream>

#include "config/document_builder.h"
#include "util/one_line.h"

namespace msprobe::config {
namespace {

bool is_number(std::string_view text, bool& whole) {
  size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (text.substr(at).starts_with("0x") || text.substr(at).starts_with("0X")) {
    whole = true;
    return text.size() > at + 2 && text.find_first_not_of("0123456789abcdefABCDEF", at + 2) == std::string_view::npos;
  }
  size_t digits = 0;
  const auto skip_digits = [&] {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at, ++digits;
  };
  skip_digits();
  whole = at == text.size();
  if (at < text.size() && text[at] == '.') ++at, skip_digits();
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    if (++at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    digits = 0;
    skip_digits();
    if (digits == 0) return false;
  }
  return at == text.size();
}

/// What Python's YAML reader, with which these files are shared, takes a plain scalar for.
Node::Kind kind_of_plain(std::string_view text) {
  constexpr std::array<std::string_view, 18> kBooleans = {"true", "True", "TRUE", "false", "False", "FALSE",
                                                          "yes",  "Yes",  "YES",  "no",    "No",    "NO",
                                                          "on",   "On",   "ON",   "off",   "Off",   "OFF"};
  for (std::string_view word : kBooleans)
    if (text == word) return Node::Kind::kBool;
  constexpr std::array<std::string_view, 9> kSpecial = {".inf", "-.inf", "+.inf", ".Inf", "-.Inf",
                                                        ".INF", ".nan",  ".NaN",  ".NAN"};
  for (std::string_view word : kSpecial)
    if (text == word) return Node::Kind::kFloat;
  bool whole = false;
  if (is_number(text, whole)) return whole ? Node::Kind::kInteger : Node::Kind::kFloat;
  return Node::Kind::kString;
}

class Handler : public YAML::EventHandler {
 public:
  explicit Handler(DocumentBuilder& builder) : builder_(builder) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(Node::Kind::kNull, "", mark, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add(tag == "?" ? kind_of_plain(value) : Node::Kind::kString, value, mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = finished_.find(anchor);
    if (found == finished_.end()) builder_.fail(line(mark), "an alias stands inside what it names");
    builder_.repeat(found->second, line(mark));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    builder_.begin(Node::Kind::kList, line(mark));
    open_.push_back(anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    builder_.begin(Node::Kind::kMap, line(mark));
    open_.push_back(anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  static int line(const YAML::Mark& mark) { return mark.line + 1; }
  void add(Node::Kind kind, const std::string& text, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      Node node;
      node.kind = kind;
      node.text = text;
      finished_[anchor] = std::move(node);
    }
    builder_.scalar(kind, text, line(mark));
  }
  void close() {
    const bool anchored = open_.back() != YAML::NullAnchor;
    Node node = builder_.end(anchored);
    if (anchored) finished_[open_.back()] = std::move(node);
    open_.pop_back();
  }

  DocumentBuilder& builder_;
  std::vector<YAML::anchor_t> open_;
  std::map<YAML::anchor_t, Node> finished_;
};

}  // namespace

Node parse_yaml(std::string_view text, const std::string& path) {
  DocumentBuilder builder(path);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Handler handler(builder);
    parser.HandleNextDocument(handler);
    DocumentBuilder rest(path);
    Handler second(rest);
    if (parser.HandleNextDocument(second))
      throw Error(path, "holds more than one document", "remove what follows `---`");
  } catch (const YAML::Exception& failure) {
    const std::string place =
        failure.mark.line >= 0 ? fmt::format("{}:{}:{}", path, failure.mark.line + 1, failure.mark.column + 1) : path;
    throw Error(place, "not valid YAML: " + util::one_line(failure.msg),
                "check indentation, brackets and quotes around that place");
  }
  return builder.take();
}

}  // namespace msprobe::config
