// What of two CSV files an interrupted run left can be kept: pure, from bytes to positions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/row_cells.h"

namespace msprobe::report {

/// What msprobe had written when it last looked: lengths and CRC-32 of both files from their start.
struct Seal {
  uint64_t result_bytes = 0, details_bytes = 0;
  uint32_t result_crc = 0, details_crc = 0;
};
std::string seal_text(const Seal& seal);
std::optional<Seal> parse_seal(std::string_view text);  ///< nullopt: not a seal of this version

constexpr int kAnyPrecision = -1;  ///< one number of digits throughout, whichever

struct ResumePlan {
  std::vector<std::string> done;     ///< APIs whose rows are kept
  std::vector<std::string> dropped;  ///< APIs behind them, in file order, some of whose rows stand in the files
  uint64_t result_keep = 0, details_keep = 0;  ///< bytes to keep; 0: not even the header is whole
  /// Both files end with the rows of one and the same API, nothing torn or unmatched: as a finished run leaves them.
  bool whole = false;
  int digits = -1;  ///< after the point of the figures; -1: there are none
};

/// Drops, as what a kill or a power cut leaves: a torn last line, zeros at the end, details of APIs without a result
/// row, results of APIs without details, and the last API's rows when nothing shows that they are complete. Throws
/// Error (path and line, what, remedy) for everything else: another header, line ends or cells that msprobe does not
/// write, details in another order than results, figures with another number of digits, a cell that contradicts the
/// seal.
ResumePlan plan_resume(std::string_view result, const std::string& result_path, std::string_view details,
                       const std::string& details_path, const std::optional<Seal>& seal, int precision);

}  // namespace msprobe::report
