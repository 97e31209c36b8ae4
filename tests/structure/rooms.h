// The house as its plan has it: the rooms that src/CMakeLists.txt lists, and what in the files contradicts them. Every
// check takes the root of a tree, so that a test can show it a small one with a fault.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace msprobe::structure {

/// A fault as "src/check/judge.cpp:12: what is wrong", paths from the root.
using Faults = std::vector<std::string>;

struct Room {
  std::string name;
  std::vector<std::string> uses;  ///< what it may include, itself left out
};

/// Of `root`/src/CMakeLists.txt, in its order: msprobe_room(<name> [TORCH] [ROOMS <rooms>...] [LIBRARIES ...]).
std::vector<Room> rooms(const std::filesystem::path& root);

/// Includes of rooms that the list does not allow, of files that are not there, folders of src/ that are no room, and
/// rooms that use one which is listed behind them.
Faults misplaced_includes(const std::filesystem::path& root);

/// Includes of a test that its program does not link: tests/<folder> may use the rooms that its CMakeLists.txt, or
/// tests/CMakeLists.txt, names for it, and those that they stand on.
Faults misplaced_test_includes(const std::filesystem::path& root);

/// Sources of src/ that a CMakeLists.txt of the tests picks by hand instead of naming a room.
Faults picked_sources(const std::filesystem::path& root);

/// Rooms whose row in docs/development.md is missing or names other rooms than the list does: "| `ops` | what it holds
/// | util dump |", "none" where there are none. Rows in another order, and rows of no room.
Faults differing_rows(const std::filesystem::path& root);

/// Files of src/ with more lines than `most`.
Faults long_files(const std::filesystem::path& root, size_t most);

}  // namespace msprobe::structure
