// Settings (config.yaml, config.json), precision standards and signatures, as YAML and as JSON.
#include "config/api_facts.h"
#include "config/document.h"
#include "config/settings.h"
#include "config/standards.h"
#include "target.h"
#include "util/utf8.h"

using namespace msprobe;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (util::is_utf8(bytes)) {  // read_document() sees to that
    fuzz::accepts([&] { config::parse_yaml(bytes, "input"); });
    fuzz::accepts([&] { config::parse_json(bytes, "input"); });
  }
  const fuzz::InputFile file(bytes);
  fuzz::accepts([&] {
    const config::Settings settings = config::load_settings(file.path());
    fuzz::require(settings.precision >= 0 && settings.precision <= 20, "digits out of range");
    fuzz::require(!config::show(settings).empty(), "settings that cannot be shown");
  });
  fuzz::accepts([&] { config::load_standards(file.path()); });
  fuzz::accepts([&] { config::load_api_facts(file.path()); });
  return 0;
}
