// Cells, rows and files of docs/formats.md#written: UTF-8 with mark, CRLF, RFC 4180 quoting, formulas made harmless.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outcome/row.h"

namespace msprobe::report {

/// Digits after the point, "nan", "inf", "-inf"; nullopt is one space.
std::string format_figure(std::optional<double> value, int precision);
/// Quotes where RFC 4180 asks for it; puts ' before what a spreadsheet would take for a formula. Line breaks become
/// spaces.
std::string csv_cell(std::string_view text);
std::string csv_row(const std::vector<std::string>& cells);  ///< with CRLF

std::vector<std::string> result_header();
std::vector<std::string> details_header();
/// The bytes of an API's rows; empty cells become one space.
std::string result_line(const outcome::ApiOutcome& outcome);
std::string details_lines(const outcome::ApiOutcome& outcome, int precision);

}  // namespace msprobe::report
