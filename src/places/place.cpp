#include "places/place.h"

#include <fmt/format.h>

#include <charconv>

#include "util/one_line.h"
#include "util/text.h"

namespace msprobe::places {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

/// The last `.part` of `name`, which is cut off.
std::string_view cut_last(std::string_view& name) {
  const size_t dot = name.rfind('.');
  const std::string_view part = name.substr(dot + 1);
  name = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
  return part;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string module_text(const Place& place) {
  if (place.modules.empty()) return "";
  const Module& module = place.modules.front();
  return util::one_line(module.name.empty() ? module.type : module.name);
}

std::string file_and_line(const Frame& frame) {
  return fmt::format("{}:{}", util::one_line(last_part(frame.file)), frame.line);
}

}  // namespace

std::optional<Frame> parse_frame(std::string_view text) {
  constexpr std::string_view kFile = "File ", kLine = ", line ", kIn = ", in ";
  if (!text.starts_with(kFile)) return std::nullopt;
  text.remove_prefix(kFile.size());
  const size_t code = text.find('\n');
  Frame frame;
  if (code != std::string_view::npos) frame.code = trimmed(text.substr(code));
  if (frame.code == "None") frame.code.clear();
  std::string_view head = trimmed(text.substr(0, code));
  if (head.ends_with(',')) head.remove_suffix(1);
  // A file's name may hold such words itself: the last ones are the frame's.
  const size_t in = head.rfind(kIn), line = head.substr(0, in).rfind(kLine);
  if (in == std::string_view::npos || line == std::string_view::npos) return std::nullopt;
  frame.file = head.substr(0, line);
  frame.function = head.substr(in + kIn.size());
  const char *begin = head.data() + line + kLine.size(), *end = head.data() + in;
  const auto [stop, error] = std::from_chars(begin, end, frame.line);
  if (error != std::errc() || stop != end || frame.line < 0 || frame.file.empty()) return std::nullopt;
  return frame;
}

Module parse_module(std::string_view name) {
  constexpr std::string_view kPrefix = "Module.";
  std::string_view rest = name;
  if (rest.starts_with(kPrefix)) rest.remove_prefix(kPrefix.size());
  const std::string whole(rest);
  const std::string_view number = cut_last(rest), direction = cut_last(rest), type = cut_last(rest);
  if (!is_number(number) || (direction != "forward" && direction != "backward") || type.empty()) return {whole, ""};
  return {std::string(rest), std::string(type)};
}

std::string short_text(const Place& place) {
  std::string text;
  if (place.shown) text = file_and_line(place.frames[*place.shown]);
  const std::string module = module_text(place);
  return text.empty() || module.empty() ? text + module : text + ", " + module;
}

std::string line_text(const Place& place) {
  constexpr size_t kLongestCode = 100;
  std::string text;
  if (place.shown) {
    const Frame& frame = place.frames[*place.shown];
    text = fmt::format("{} in {}", file_and_line(frame), util::one_line(frame.function));
    // The first line of a call that stands on several.
    const std::string_view code = trimmed(std::string_view(frame.code).substr(0, frame.code.find('\n')));
    if (!code.empty()) text += "  " + util::one_line(util::shortened(code, kLongestCode));
  }
  const std::string module = module_text(place);
  return text.empty() || module.empty() ? text + module : text + "   " + module;
}

}  // namespace msprobe::places
