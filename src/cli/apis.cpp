#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <regex>

#include "cli/exit_code.h"
#include "cli/subcommands.h"
#include "fused/registry.h"
#include "ops/registry.h"
#include "util/text_table.h"

namespace msprobe::cli {

int apis(const std::string& only) {
  std::map<std::string, std::string> known;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    constexpr std::string_view kNamespace = "aten::";
    const std::string_view full = name.name;
    if (full.starts_with(kNamespace) && !full.starts_with("aten::_")) {
      known.emplace(fmt::format("*.{}", full.substr(kNamespace.size())), full);
    }
  }
  for (const std::string& name : ops::adaptor_names()) known[name] = "adaptor";
  for (const fused::Operator* fused : fused::all()) {
    known[fmt::format("NPU.{}", fused->name)] = fmt::format("golden, {}: {}", fused->source, fused->schema);
  }

  util::TextTable table({util::Align::kLeft, util::Align::kLeft});
  const std::regex pattern(only);
  for (const auto& [name, how] : known) {
    if (only.empty() || std::regex_search(name, pattern)) table.add({name, how});
  }
  std::fputs(table.render().c_str(), stdout);
  return kOk;
}

}  // namespace msprobe::cli
