// Pages of documentation: what cites them, what they link, and whether it is there.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "structure/rooms.h"

namespace msprobe::structure {

/// The anchor that GitHub gives a heading: letters in lower case, digits, "-" and "_"; blanks become "-"; the rest
/// goes.
std::string anchor_of(std::string_view heading);

/// The anchors of a page in Markdown; a heading that comes again gets "-1", "-2", ...
std::set<std::string> anchors(const std::filesystem::path& page);

/// Pages that src/, include/, tests/, config/, cmake/ and scripts/ name and that are not there, or lack the anchor:
/// every "*.md" must be docs/<page>.md[#anchor], or README.md and its like of the root.
Faults dead_citations(const std::filesystem::path& root);

/// Links of docs/*.md, of the root's pages and of tests/data/README.md whose file or anchor is not there. The net is
/// not asked.
Faults dead_links(const std::filesystem::path& root);

}  // namespace msprobe::structure
