#include "structure/pages.h"

#include <map>
#include <regex>

#include "structure/files.h"

namespace msprobe::structure {
namespace {

namespace fs = std::filesystem;

/// The character at `at` and its length in bytes; malformed UTF-8 counts as one byte.
std::pair<char32_t, size_t> character(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  if (length == 1 || at + length > text.size()) return {byte, 1};
  char32_t value = byte & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) value = value << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  return {value, length};
}

/// Punctuation of Chinese texts, and of typography: no part of an anchor.
bool is_punctuation(char32_t c) {
  return (c >= 0x2000 && c <= 0x206F) || (c >= 0x3000 && c <= 0x303F && c != 0x3005) || (c >= 0xFF00 && c <= 0xFF0F) ||
         (c >= 0xFF1A && c <= 0xFF20) || c == 0xB7 || c == 0xD7 || (c >= 0x2190 && c <= 0x2BFF);
}

/// Lines of a page that are no code block.
std::vector<std::pair<size_t, std::string>> prose(const fs::path& page) {
  std::vector<std::pair<size_t, std::string>> found;
  const std::vector<std::string> lines = lines_of(page);
  bool code = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("```") != std::string::npos && lines[i].find("```") == lines[i].find_first_not_of(' ')) {
      code = !code;
      continue;
    }
    if (!code) found.emplace_back(i + 1, lines[i]);
  }
  return found;
}

/// What `target` ("devices.md#npu", seen from `folder`) lacks; empty: it is there.
std::string lacking(const fs::path& folder, const std::string& target) {
  const size_t hash = target.find('#');
  const fs::path file = folder / target.substr(0, hash);
  if (!fs::exists(file)) return target + " is not there";
  if (hash == std::string::npos || file.extension() != ".md") return "";
  return anchors(file).contains(target.substr(hash + 1)) ? "" : target + ": the page has no such heading";
}

std::vector<fs::path> pages(const fs::path& root) {
  std::vector<fs::path> all = files_below(root / "docs", {".md"});
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  if (const fs::path data = root / "tests" / "data" / "README.md"; fs::exists(data)) all.push_back(data);
  return all;
}

}  // namespace

std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (size_t at = 0; at < heading.size();) {
    const auto [c, length] = character(heading, at);
    if (c == ' ')
      anchor += '-';
    else if (c >= 0x80 ? !is_punctuation(c) : (std::isalnum(static_cast<int>(c)) != 0 || c == '-' || c == '_'))
      for (size_t i = 0; i < length; ++i)
        anchor += length == 1 ? static_cast<char>(std::tolower(heading[at])) : heading[at + i];
    at += length;
  }
  return anchor;
}

std::set<std::string> anchors(const fs::path& page) {
  static const std::regex kLink("\\[([^\\]]*)\\]\\([^)]*\\)");
  std::set<std::string> found;
  std::map<std::string, int> times;
  for (const auto& [number, line] : prose(page)) {
    const size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || level > 6 || line[level] != ' ') continue;
    const std::string anchor = anchor_of(std::regex_replace(line.substr(level + 1), kLink, "$1"));
    const int before = times[anchor]++;
    found.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return found;
}

Faults dead_citations(const fs::path& root) {
  static const std::regex kPage("([\\w.-][\\w./-]*\\.md)\\b(#[^\\s,;:)\"'.]+)?");
  Faults faults;
  for (const char* folder : {"src", "include", "tests", "config", "cmake", "scripts"})
    for (const fs::path& file :
         files_below(root / folder, {".h", ".cpp", ".inc", ".py", ".sh", ".yaml", ".cmake", ".txt"})) {
      const std::string below = fs::relative(file, root).generic_string();
      if (below.starts_with("tests/data/") || below.starts_with("tests/structure/")) continue;
      const std::vector<std::string> lines = lines_of(file);
      for (size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find(".md") == std::string::npos) continue;
        for (std::sregex_iterator m(lines[i].begin(), lines[i].end(), kPage), end; m != end; ++m)
          if (const std::string why = lacking(root, m->str()); !why.empty())
            faults.push_back(place(root, file, i + 1) + why);
      }
    }
  return faults;
}

Faults dead_links(const fs::path& root) {
  static const std::regex kLink("\\]\\(([^)\\s]+)\\)");
  Faults faults;
  for (const fs::path& page : pages(root))
    for (const auto& [number, line] : prose(page)) {
      if (line.find("](") == std::string::npos) continue;
      for (std::sregex_iterator m(line.begin(), line.end(), kLink), end; m != end; ++m) {
        std::string target = (*m)[1];
        if (target.find("://") != std::string::npos) continue;
        if (target[0] == '#') target.insert(0, page.filename().string());
        if (const std::string why = lacking(page.parent_path(), target); !why.empty())
          faults.push_back(place(root, page, number) + why);
      }
    }
  return faults;
}

}  // namespace msprobe::structure
