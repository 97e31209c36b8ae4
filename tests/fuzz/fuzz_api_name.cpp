// Keys of a dump, names of APIs and of rows.
#include "compare/row_name.h"
#include "dump/api_name.h"
#include "target.h"

using namespace msprobe;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto key = dump::split_key(text)) {
    const std::string_view direction = key->direction == dump::Direction::kForward ? ".forward" : ".backward";
    fuzz::require(std::string(key->api).append(direction) == text, "a key is not its parts");
  }
  const dump::ApiName name = dump::parse_api_name(text);
  fuzz::require(name.full == text, "the name is not kept whole");
  if (name.well_formed()) {
    fuzz::require(name.type + "." + name.name + "." + name.index == text, "a name is not its parts");
    fuzz::require(name.name.ends_with(name.last()), "the last part is none of the name");
  }
  for (const config::Profile profile : {config::Profile::kDocumented, config::Profile::kMindstudio}) {
    const compare::RowName row = compare::split_row_name(text, profile);
    if (!row.valid) continue;
    fuzz::require(text.starts_with(row.api) && row.api.starts_with(row.type), "a row's name is not its parts");
  }
  return 0;
}
