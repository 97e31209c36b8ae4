// Figures as text, with a fixed number of digits after the point, fast.
#pragma once
#include <string>

namespace msprobe::compare {

/// Appends what report::format_figure gives, `precision` being 0 to 20: the exact value rounded half to even; nan, inf,
/// -inf. A million rows hold ten million figures: usual magnitudes take integer arithmetic alone.
void append_fixed(std::string& text, double value, int precision);

}  // namespace msprobe::compare
