// A command line: arguments part at NUL bytes and line ends. No file is read: settings are the defaults.
#include <string>
#include <vector>

#include "options/compat.h"
#include "options/parse.h"
#include "target.h"
#include "util/utf8.h"

using namespace msprobe;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> arguments(1);
  for (size_t i = 0; i < size; ++i) {
    if (data[i] == '\0' || data[i] == '\n') {
      arguments.emplace_back();
    } else {
      arguments.back() += static_cast<char>(data[i]);
    }
  }
  const auto parse = [&] {
    const options::Front front = options::split_command(arguments);
    if (front.action != options::Front::Action::kCommand) return;
    const options::Request request = options::parse(
        front.command, front.arguments, [](const std::string&) { return config::Settings(); },
        [](const char*) -> const char* { return nullptr; });
    fuzz::require(request.settings.num_splits >= 1 && request.settings.num_splits <= 64, "workers out of range");
  };
  if (util::is_utf8({reinterpret_cast<const char*>(data), size})) {
    fuzz::accepts(parse);
    return 0;
  }
  try {  // paths may be of any bytes, and messages repeat them
    parse();
  } catch (const Error&) {
  }
  return 0;
}
