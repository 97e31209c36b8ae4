#include "places/keyed_file.h"

#include <fmt/format.h>

#include "dump/json_reader.h"
#include "dump/json_scan.h"
#include "util/error.h"
#include "util/text.h"
#include "util/utf8.h"

namespace msprobe::places {

KeyedFile::KeyedFile(const std::string& path)
    : shown_path_(util::shown(path)), file_(util::open_regular(path), shown_path_, util::MappedFile::Access::kRead) {}

std::string_view KeyedFile::unescaped(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  // The quotes stand around it.
  return kept_.emplace_back(dump::read_json({raw.data() - 1, raw.size() + 2}, shown_path_).text);
}

void KeyedFile::walk(const std::function<bool(std::string_view key, std::string_view value)>& entry) {
  const std::string_view text = file_.text();
  dump::JsonScanner scanner(text, text.starts_with(util::kUtf8Mark) ? util::kUtf8Mark.size() : 0);
  try {
    scanner.require('{', "\"{\"");
    if (scanner.take('}')) return;
    do {
      const std::string_view key = unescaped(scanner.string("a key in double quotes"));
      scanner.require(':', "\":\" after a key");
      scanner.skip_space();
      const size_t begin = scanner.position();
      scanner.skip_value();
      ++entries_;
      if (!entry(key, text.substr(begin, scanner.position() - begin)) && ++foreign_ == 1)
        first_foreign_ = util::quoted(key);
    } while (scanner.take(','));
    scanner.require('}', "\",\" or \"}\"");
  } catch (const dump::JsonFault& fault) {
    throw Error(fmt::format("{}: {}", shown_path_, util::line_and_column(text, fault.offset)), fault.message);
  }
  if (foreign_ == entries_) throw Error(shown_path_, "has no entry of the form that msprobe's dumper writes");
}

}  // namespace msprobe::places
