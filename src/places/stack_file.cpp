#include "places/stack_file.h"

#include "dump/json_reader.h"
#include "dump/json_scan.h"

namespace msprobe::places {
namespace {

/// What stands next in `text`, behind space.
char next(dump::JsonScanner& scanner, std::string_view text) {
  scanner.skip_space();
  return scanner.at_end() ? '\0' : text[scanner.position()];
}

}  // namespace

StackFile::StackFile(const std::string& path) : file_(path) {
  file_.walk([this](std::string_view key, std::string_view value) { return add(key, value); });
  file_.check_unchanged();
}

bool StackFile::add(std::string_view key, std::string_view value) {
  dump::JsonScanner scanner(value);
  if (!scanner.take('[')) return false;
  if (next(scanner, value) == '"') {
    frames_.insert_or_assign(key, value);
    return true;
  }
  if (!scanner.take('[')) return false;
  std::vector<std::string_view> names;
  while (next(scanner, value) == '"') {
    names.push_back(file_.unescaped(scanner.string("")));
    if (!scanner.take(',')) break;
  }
  if (!scanner.take(']') || !scanner.take(',') || next(scanner, value) != '[') return false;
  const size_t begin = scanner.position();
  scanner.skip_value();
  for (const std::string_view name : names)
    frames_.insert_or_assign(name, value.substr(begin, scanner.position() - begin));
  return true;
}

std::vector<Frame> StackFile::frames_of(std::string_view name) const {
  const auto found = frames_.find(name);
  if (found == frames_.end()) return {};
  constexpr dump::JsonLimits kLimits{.depth = 10, .bytes = size_t{1} << 22, .values = 10'000};
  std::vector<Frame> frames;
  const dump::JsonValue list = dump::read_json(found->second, file_.shown_path(), kLimits);
  file_.check_unchanged();
  for (const dump::JsonValue& item : list.items) {
    if (!item.is(dump::JsonKind::kString)) continue;
    if (auto frame = parse_frame(item.text)) frames.push_back(std::move(*frame));
  }
  return frames;
}

}  // namespace msprobe::places
