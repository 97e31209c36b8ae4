#include "structure/rooms.h"

#include <map>
#include <regex>
#include <set>

#include "structure/files.h"

namespace msprobe::structure {
namespace {

namespace fs = std::filesystem;

/// The words of each call of `function` in a CMakeLists.txt, comments left out.
std::vector<std::vector<std::string>> calls(const fs::path& file, const std::string& function) {
  std::string text;
  for (const std::string& line : lines_of(file)) text += line.substr(0, line.find('#')) + "\n";
  std::vector<std::vector<std::string>> found;
  const std::regex call("\\b" + function + "\\(([^()]*)\\)"), word("[^\\s]+");
  for (std::sregex_iterator c(text.begin(), text.end(), call), end; c != end; ++c) {
    const std::string arguments = (*c)[1];
    std::vector<std::string> words;
    for (std::sregex_iterator w(arguments.begin(), arguments.end(), word); w != end; ++w) words.push_back(w->str());
    found.push_back(words);
  }
  return found;
}

/// The words behind `keyword`, up to the next word in capitals.
std::vector<std::string> behind(const std::vector<std::string>& words, const std::string& keyword) {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& word : words) {
    const bool capitals = word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos;
    if (capitals)
      inside = word == keyword;
    else if (inside)
      found.push_back(word);
  }
  return found;
}

struct Include {
  size_t line;
  std::string file;  ///< "ops/skip.h"
  std::string room;  ///< "ops"; empty: no folder
};

std::vector<Include> includes(const fs::path& file) {
  static const std::regex kInclude("^\\s*#\\s*include \"([^\"]+)\"");
  std::vector<Include> found;
  const std::vector<std::string> lines = lines_of(file);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (lines[i].find("include") == std::string::npos || !std::regex_search(lines[i], match, kInclude)) continue;
    const std::string name = match[1];
    const size_t slash = name.find('/');
    found.push_back({i + 1, name, slash == std::string::npos ? "" : name.substr(0, slash)});
  }
  return found;
}

/// The rooms that `names` stand on, themselves included.
std::set<std::string> closure(const std::vector<Room>& house, const std::vector<std::string>& names) {
  std::set<std::string> all;
  for (const std::string& name : names) {
    all.insert(name);
    for (const Room& room : house)
      if (room.name == name) all.merge(closure(house, room.uses));
  }
  return all;
}

/// Rooms that programs of tests/<folder> link.
std::vector<std::string> linked(const fs::path& tests, const std::string& folder) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::string>& more) { names.insert(names.end(), more.begin(), more.end()); };
  for (const auto& words : calls(tests / "CMakeLists.txt", "msprobe_room_test"))
    if (!words.empty() && (words[0] == folder || words[0] == "${room}")) {
      names.push_back(folder);
      add(behind(words, "ROOMS"));
    }
  if (const fs::path own = tests / folder / "CMakeLists.txt"; fs::exists(own)) {
    for (auto words : calls(own, "msprobe_link_rooms")) add({words.begin() + 1, words.end()});
    for (const auto& words : calls(own, "fuzz_target")) add(behind(words, "ROOMS"));
    if (!calls(own, "msprobe_benchmark").empty()) names.emplace_back("cli");
  }
  return names;
}

}  // namespace

std::vector<Room> rooms(const fs::path& root) {
  std::vector<Room> all;
  for (const auto& words : calls(root / "src" / "CMakeLists.txt", "msprobe_room"))
    if (!words.empty()) all.push_back({words[0], behind(words, "ROOMS")});
  return all;
}

Faults misplaced_includes(const fs::path& root) {
  Faults faults;
  std::map<std::string, std::set<std::string>> allowed;
  for (const Room& room : rooms(root)) {
    for (const std::string& used : room.uses)
      if (!allowed.contains(used))
        faults.push_back("src/CMakeLists.txt: room " + room.name + " uses " + used +
                         ", which is not listed before it: a record travels one way");
    allowed[room.name] = {room.uses.begin(), room.uses.end()};
  }
  for (const auto& entry : fs::directory_iterator(root / "src"))
    if (entry.is_directory() && !allowed.contains(entry.path().filename().string()))
      faults.push_back("src/" + entry.path().filename().string() + ": is no room of src/CMakeLists.txt");
  for (const auto& [room, uses] : allowed)
    for (const fs::path& file : files_below(root / "src" / room, {".h", ".cpp", ".inc"}))
      for (const Include& include : includes(file)) {
        if (!allowed.contains(include.room)) continue;  // the public header, what the build writes
        if (!fs::exists(root / "src" / include.file))
          faults.push_back(place(root, file, include.line) + include.file + " is not there");
        else if (include.room != room && !uses.contains(include.room))
          faults.push_back(place(root, file, include.line) + "includes " + include.file + ", but room " + room +
                           " may not use " + include.room + " (src/CMakeLists.txt)");
      }
  return faults;
}

Faults misplaced_test_includes(const fs::path& root) {
  Faults faults;
  const std::vector<Room> house = rooms(root);
  const fs::path tests = root / "tests";
  for (const auto& entry : fs::directory_iterator(tests)) {
    if (!entry.is_directory() || entry.path().filename() == "data") continue;
    const std::string folder = entry.path().filename().string();
    // What all tests share stands on the lowest room, which each of their programs links.
    const bool shared = folder == "support" && !house.empty();
    const std::set<std::string> may =
        shared ? std::set<std::string>{house.front().name} : closure(house, linked(tests, folder));
    for (const fs::path& file : files_below(entry.path(), {".h", ".cpp"}))
      for (const Include& include : includes(file)) {
        const bool of_room = fs::exists(root / "src" / include.file) && !fs::exists(tests / include.file);
        if (of_room && !may.contains(include.room))
          faults.push_back(place(root, file, include.line) + "includes " + include.file +
                           ", but its program does not link " + include.room);
      }
  }
  return faults;
}

Faults picked_sources(const fs::path& root) {
  static const std::regex kPicked("\\bsrc/[\\w./${}-]*");
  Faults faults;
  for (const fs::path& file : files_below(root / "tests", {"CMakeLists.txt"})) {
    const std::vector<std::string> lines = lines_of(file);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::smatch match;
      const std::string code = lines[i].substr(0, lines[i].find('#'));
      if (std::regex_search(code, match, kPicked))
        faults.push_back(place(root, file, i + 1) + match.str() + " is picked by hand, link the room instead");
    }
  }
  return faults;
}

Faults differing_rows(const fs::path& root) {
  static const std::regex kRow("^\\| `(\\w+)` \\|[^|]*\\| ([a-z_ ]+) \\|$");
  const fs::path page = root / "docs" / "development.md";
  const std::vector<Room> house = rooms(root);
  const std::vector<std::string> lines = lines_of(page);
  Faults faults;
  size_t next = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch row;
    if (!std::regex_match(lines[i], row, kRow)) continue;
    if (next == house.size() || house[next].name != row[1]) {
      faults.push_back(place(root, page, i + 1) + "expected the row of " +
                       (next == house.size() ? "no further room" : house[next].name));
      return faults;
    }
    std::string uses;
    for (const std::string& used : house[next].uses) uses += (uses.empty() ? "" : " ") + used;
    if (uses.empty()) uses = "none";
    if (uses != row[2]) faults.push_back(place(root, page, i + 1) + "the list has " + uses);
    ++next;
  }
  if (next != house.size()) faults.push_back("docs/development.md: no row of room " + house[next].name);
  return faults;
}

Faults long_files(const fs::path& root, size_t most) {
  Faults faults;
  for (const fs::path& file : files_below(root / "src", {".h", ".cpp", ".inc"}))
    if (const size_t lines = lines_of(file).size(); lines > most)
      faults.push_back(place(root, file, lines) + "the file is longer than " + std::to_string(most) + " lines");
  return faults;
}

}  // namespace msprobe::structure
