#include "goldens/user/configuration.h"

#include <fmt/format.h>

#include "goldens/user/entry.h"
#include "goldens/user/operators_entry.h"
#include "goldens/user/valid_rows_entry.h"

namespace msprobe::goldens {

using config::Node;

std::string UserOperator::source() const {
  const std::string place = line > 0 ? fmt::format("{}:{}", file, line) : file;
  switch (kind) {
    case Kind::kTorchScript:
      return "TorchScript " + place;
    case Kind::kModule:
      return "TorchScript module " + place;
    case Kind::kPython:
      return "Python " + place;
    case Kind::kLibrary:
      break;
  }
  return "library " + place;
}

Configuration read_configuration(const std::string& path) {
  const Node root = config::read_document(path);
  Configuration out;
  if (root.kind == Node::Kind::kNull) return out;
  if (root.kind != Node::Kind::kMap)
    throw error_at(path, root, fmt::format("found {}, expected the key operators", describe(root)), kOperatorsForm);
  for (const Node& entry : root.children) {
    if (entry.key == "operators")
      read_operators(path, entry, out);
    else if (entry.key == "output_valid_rows")
      read_valid_rows(path, entry, out);
    else
      throw unknown_key(path, entry, {"operators", "output_valid_rows"});
  }
  return out;
}

}  // namespace msprobe::goldens
