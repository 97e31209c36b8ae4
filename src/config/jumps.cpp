#include "config/jumps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "config/settings.h"
#include "util/edit_distance.h"
#include "util/one_line.h"

namespace msprobe::config {
namespace {

constexpr std::array<std::string_view, 3> kOperands = {"as given", "tensor", "arithmetic"};
constexpr std::array<std::string_view, 3> kGoldens = {"float64", "float32", "positions"};

/// Reads the section of one file.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Jump entry(const Node& node) const {
    static constexpr std::array<std::string_view, 5> kKeys = {"operands", "golden", "near", "bins", "when"};
    expect_map(node);
    Jump jump;
    for (const Node& fact : node.children) {
      if (fact.key == "operands")
        jump.operands = static_cast<Jump::Operands>(one_of(fact, kOperands));
      else if (fact.key == "golden")
        jump.single = one_of(fact, kGoldens) == 1, jump.positions = one_of(fact, kGoldens) == 2;
      else if (fact.key == "near")
        jump.near = as_text(path_, fact);
      else if (fact.key == "bins")
        jump.bins = as_text(path_, fact);
      else if (fact.key == "when")
        jump.when = conditions(fact);
      else
        throw unknown(fact, "key", fact.key, kKeys);
    }
    return jump;
  }
  void expect_map(const Node& node) const {
    if (node.kind == Node::Kind::kMap) return;
    throw error_at(path_, node, fmt::format("found {}, expected keys with values", describe(node)));
  }

 private:
  std::map<std::string, std::vector<std::string>> conditions(const Node& node) const {
    expect_map(node);
    std::map<std::string, std::vector<std::string>> all;
    for (const Node& parameter : node.children) {
      if (parameter.kind != Node::Kind::kList)
        throw error_at(path_, parameter, fmt::format("found {}, expected a list of values", describe(parameter)));
      for (const Node& value : parameter.children)
        all[parameter.key].push_back(value.kind == Node::Kind::kNull ? "" : value.text);
    }
    return all;
  }
  template <size_t n>
  size_t one_of(const Node& node, const std::array<std::string_view, n>& words) const {
    const std::string found = as_text(path_, node);
    const auto at = std::find(words.begin(), words.end(), found);
    if (at == words.end()) throw unknown(node, node.key, found, words);
    return static_cast<size_t>(at - words.begin());
  }
  template <class Names>
  Error unknown(const Node& node, std::string_view what, const std::string& found, const Names& known) const {
    const std::vector<std::string> words(known.begin(), known.end());
    const std::string near = util::did_you_mean(found, words);
    return Error(fmt::format("{}:{}", path_, node.key_line),
                 fmt::format("unknown {} {}{}", what, util::one_line(found), near),
                 near.empty() ? fmt::format("expected one of {}", fmt::join(words, ", ")) : "");
  }

  const std::string& path_;
};

}  // namespace

ApiMap<Jump> read_jumps(const std::string& path, const Node& section) {
  ApiMap<Jump> jumps;
  if (section.kind == Node::Kind::kNull) return jumps;
  const Reader reader(path);
  reader.expect_map(section);
  for (const Node& api : section.children) jumps.add(api.key, reader.entry(api));
  return jumps;
}

ApiMap<Jump> installed_jumps() {
  const std::string path = installed_config("precision_standard.yaml");
  const Node document = read_document(path);
  const Node* section = document.find("jumps");
  if (section == nullptr) throw Error(path, "jumps is missing", "install msprobe's files again");
  return read_jumps(path, *section);
}

}  // namespace msprobe::config
