#include "goldens/user/operators_entry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "goldens/schema_text.h"
#include "goldens/user/entry.h"
#include "goldens/user/functions_beside.h"
#include "goldens/user/source.h"
#include "ops/python_declaration.h"
#include "util/edit_distance.h"

namespace msprobe::goldens {
namespace {

using config::Node;

constexpr const char* kSchemaForm = "write it as \"npu_x(Tensor input, int dim=-1) -> Tensor\"";

std::string checked_schema(const std::string& path, const Node& node, const std::string& text) {
  const size_t open = text.find('('), close = text.rfind(") ->");
  if (open == 0 || open == std::string::npos || close == std::string::npos || close < open)
    throw error_at(path, node, fmt::format("found {}, expected name(arguments) -> results", describe(node)),
                   kSchemaForm);
  try {
    torch::jit::parseSchema(text);
    ops::find_declaration(python_parameters(text));
  } catch (const std::exception& e) {
    std::string words = e.what();
    words.erase(0, words.find_first_not_of("\n "));
    if (const size_t end = words.find('\n'); end != std::string::npos) words.resize(end);
    while (!words.empty() && (words.back() == ':' || words.back() == ' ')) words.pop_back();
    throw error_at(path, node, fmt::format("found {}, which is no schema: {}", describe(node), words), kSchemaForm);
  }
  return text;
}

// Fills in what the keys of one entry say by themselves.
OperatorKeys read_keys(const std::string& path, const Node& entry, UserOperator& op) {
  static const std::vector<std::string> kKeys = {"forward", "backward", "description", "schema", "source", "kind"};
  if (entry.kind != Node::Kind::kMap)
    throw error_at(path, entry, fmt::format("found {}, expected the keys {}", describe(entry), fmt::join(kKeys, ", ")),
                   kOperatorsForm);
  OperatorKeys keys;
  for (const Node& value : entry.children) {
    if (std::find(kKeys.begin(), kKeys.end(), value.key) == kKeys.end()) throw unknown_key(path, value, kKeys);
    if (value.kind == Node::Kind::kNull) continue;
    const std::string text = config::as_text(path, value);
    if (value.key == "description") op.description = text;
    if (value.key == "schema") op.schema = checked_schema(path, value, text);
    if (value.key == "forward") op.forward = text, keys.forward = &value;
    if (value.key == "backward") op.backward = text, keys.backward = &value;
    if (value.key == "source") keys.source = &value;
    if (value.key == "kind") keys.kind = &value;
  }
  if (keys.source == nullptr && keys.kind != nullptr)
    throw error_at(path, *keys.kind, "is given without a source", "add the source, or remove kind");
  return keys;
}

// MindStudio's form: no source, the functions are those of the .py files in the folder of the yaml.
class FromFolder {
 public:
  explicit FromFolder(const std::string& path) : path_(path), functions_(path) {}

  void read(const Node& entry, const OperatorKeys& keys, const UserOperator& op, std::vector<UserOperator>& out) {
    if (keys.forward == nullptr && keys.backward == nullptr)
      throw at_key(path_, entry, "has neither forward nor source", kOperatorsForm);
    if (keys.forward != nullptr) out.push_back(defined(op, op.name, *keys.forward));
    if (keys.backward != nullptr && (keys.forward == nullptr || keys.backward->text != op.name))
      out.push_back(defined(op, keys.backward->text, *keys.backward));
  }

 private:
  UserOperator defined(UserOperator op, const std::string& name, const Node& function) {
    const FunctionsBeside::Place* place = functions_.find(function.text);
    if (place == nullptr)
      throw error_at(path_, function,
                     fmt::format("no .py file beside {} defines {}{}", path_, function.text,
                                 util::did_you_mean(function.text, functions_.names())),
                     "correct the name, or name the file with source");
    op.name = name;
    op.kind = Kind::kPython;
    op.forward = function.text;
    op.backward.clear();
    op.file = place->file;
    op.line = place->line;
    return op;
  }

  const std::string& path_;
  FunctionsBeside functions_;
};

}  // namespace

void read_operators(const std::string& path, const Node& section, Configuration& out) {
  if (section.kind == Node::Kind::kNull) return;
  if (section.kind != Node::Kind::kMap)
    throw error_at(path, section, fmt::format("found {}, expected names of operators", describe(section)),
                   kOperatorsForm);
  Once once(path);
  FromFolder folder(path);
  for (const Node& entry : section.children) {
    UserOperator op;
    if (entry.kind == Node::Kind::kMap) {
      op.name = api_of(path, entry);
      once.see(op.name, entry);
    }
    const OperatorKeys keys = read_keys(path, entry, op);
    if (keys.source == nullptr) {
      folder.read(entry, keys, op, out.operators);
      continue;
    }
    read_source(path, keys, op);
    out.operators.push_back(std::move(op));
  }
}

}  // namespace msprobe::goldens
