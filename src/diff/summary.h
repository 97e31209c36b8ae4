// What msprobe diff says on the screen.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "diff/report.h"

namespace msprobe::diff {

/// Counts, then what got worse, moved, changed and got better, worst first, with before -> after; the path of the CSV
/// file. `brief`: counts and path alone. Names are cut so that lines fit `width` columns.
std::string summary(const DiffReport& report, bool brief, bool coloured, size_t width);

/// What makes a comparison say less than it seems: other dumps or seeds, missing assessments. One line each.
std::vector<std::string> warnings(const DiffReport& report);

}  // namespace msprobe::diff
