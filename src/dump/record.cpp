#include "dump/record.h"

#include <algorithm>

#include "dump/argument_reader.h"
#include "dump/json_reader.h"
#include "util/error.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

/// Around an argument stand the entry's object and its list; inside, a tensor's object and its shape, or what is
/// ignored.
constexpr size_t kFrameLevels = 10;

JsonValue read_entry(std::string_view json, const std::string& where) {
  JsonLimits limits;
  limits.depth = kMaxNesting + kFrameLevels;
  JsonValue entry = read_json(json, where, limits);
  if (!entry.is(JsonKind::kObject)) {
    throw Error(where, "is " + json_text(entry, 40) + ", expected an object with the inputs and outputs of the API");
  }
  return entry;
}

/// A field that is read must be there at most once: which of two the run recorded, nobody can know.
const JsonValue* field(const JsonValue& entry, std::string_view key, const std::string& where) {
  if (std::count(entry.keys.begin(), entry.keys.end(), key) > 1) {
    throw Error(where, util::quoted(key) + " occurs twice");
  }
  return entry.find(key);
}

ArgumentList list_field(const JsonValue& entry, std::string_view key, const std::string& where) {
  const JsonValue* json = field(entry, key, where);
  return json == nullptr ? ArgumentList{} : read_arguments(*json, where + "." + std::string(key));
}

std::vector<std::pair<std::string, Argument>> read_kwargs(const JsonValue& entry, const std::string& where) {
  const JsonValue* json = field(entry, "input_kwargs", where);
  std::vector<std::pair<std::string, Argument>> kwargs;
  if (json == nullptr || json->is(JsonKind::kNull)) return kwargs;
  const std::string place = where + ".input_kwargs";
  if (!json->is(JsonKind::kObject)) throw Error(place, "is " + json_text(*json, 40) + ", expected an object");
  kwargs.reserve(json->items.size());
  for (size_t i = 0; i < json->items.size(); ++i) {
    const std::string& name = json->keys[i];
    if (std::count(json->keys.begin(), json->keys.end(), name) > 1)
      throw Error(place, util::quoted(name) + " occurs twice");
    kwargs.emplace_back(name, read_argument(json->items[i], place + "." + name));
  }
  return kwargs;
}

}  // namespace

ForwardRecord parse_forward(std::string_view json, const std::string& where) {
  const JsonValue entry = read_entry(json, where);
  ForwardRecord record;
  const bool old_name = entry.find("input_args") == nullptr && entry.find("input") != nullptr;
  record.args = list_field(entry, old_name ? "input" : "input_args", where);
  record.kwargs = read_kwargs(entry, where);
  const JsonValue* output = field(entry, "output", where);
  if (output != nullptr && !output->is(JsonKind::kNull)) record.output = read_arguments(*output, where + ".output");
  return record;
}

BackwardRecord parse_backward(std::string_view json, const std::string& where) {
  const JsonValue entry = read_entry(json, where);
  return {list_field(entry, "input", where), list_field(entry, "output", where)};
}

}  // namespace msprobe::dump
