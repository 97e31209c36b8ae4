// Puts a Node tree together from the events of a parser; shared by YAML and JSON, which gives both the same limits.
#pragma once
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "config/document.h"
#include "util/one_line.h"

namespace msprobe::config {

class DocumentBuilder {
 public:
  explicit DocumentBuilder(std::string path) : path_(std::move(path)) {}

  /// A list or a map begins / the innermost one ends. end(true) returns a copy of it, for anchors.
  void begin(Node::Kind kind, int line) {
    constexpr size_t kDeepest = 100;
    if (stack_.size() >= kDeepest) fail(line, fmt::format("nested deeper than {}", kDeepest));
    Node node = labelled(kind, "", line);
    stack_.push_back({std::move(node), {}, 0, false});
  }
  Node end(bool copied = false) {
    Node node = std::move(stack_.back().node);
    stack_.pop_back();
    Node copy = copied ? node : Node();
    attach(std::move(node));
    return copy;
  }
  /// A scalar: the key of an entry when the innermost node is a map that waits for one.
  void scalar(Node::Kind kind, std::string text, int line) {
    if (waits_for_key())
      key(std::move(text), line);
    else
      attach(labelled(kind, std::move(text), line));
  }
  void key(std::string text, int line) {
    text = util::one_line(text);  // no key that means something is changed by that, and messages repeat it
    Frame& frame = stack_.back();
    if (const Node* before = frame.node.find(text))
      fail(line, fmt::format("{} is given twice, first in line {}", text, before->key_line));
    frame.key = std::move(text);
    frame.key_line = line;
    frame.has_key = true;
  }
  /// A finished node again (YAML alias).
  void repeat(const Node& node, int line) {
    if (waits_for_key()) fail(line, "an alias stands where a key is expected");
    count(node, line);
    Node copy = node;
    label(copy);
    copy.line = line;
    attach(std::move(copy));
  }
  bool waits_for_key() const {
    return !stack_.empty() && stack_.back().node.kind == Node::Kind::kMap && !stack_.back().has_key;
  }
  Node take() { return std::move(root_); }
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw Error(fmt::format("{}:{}", path_, line), what);
  }

 private:
  struct Frame {
    Node node;
    std::string key;
    int key_line;
    bool has_key;
  };

  Node labelled(Node::Kind kind, std::string text, int line) {
    if (waits_for_key()) fail(line, "a list or a group of keys stands where a key is expected");
    Node node;
    node.kind = kind;
    node.text = std::move(text);
    node.line = line;
    label(node);
    count(node, line);
    return node;
  }
  void label(Node& node) {
    node.key.clear();
    node.key_line = 0;
    if (stack_.empty() || stack_.back().node.kind != Node::Kind::kMap) return;
    node.key = stack_.back().key;
    node.key_line = stack_.back().key_line;
    stack_.back().has_key = false;
  }
  void count(const Node& node, int line) {
    constexpr size_t kMostNodes = 100000;
    if (++nodes_ > kMostNodes) fail(line, fmt::format("holds more than {} values", kMostNodes));
    if (node.kind == Node::Kind::kList || node.kind == Node::Kind::kMap)
      for (const Node& child : node.children) count(child, line);
  }
  void attach(Node node) {
    if (stack_.empty())
      root_ = std::move(node);
    else
      stack_.back().node.children.push_back(std::move(node));
  }

  std::string path_;
  std::vector<Frame> stack_;
  Node root_;
  size_t nodes_ = 0;
};

}  // namespace msprobe::config
