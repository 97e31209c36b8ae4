#include "metrics/index_tally.h"

#include <string>

#include "metrics/status.h"

namespace msprobe::metrics {
namespace {

using outcome::Figure;
using outcome::Status;

void add_part(std::string& text, int64_t count, const std::string& what) {
  if (count == 0) return;
  if (!text.empty()) text += ", ";
  text += std::to_string(count) + " " + what;
}

}  // namespace

void judge_indices(const IndexTally& tally, int64_t elements, int64_t size, outcome::Row& row) {
  const double rate = static_cast<double>(tally.wrong()) / static_cast<double>(elements);
  row[Figure::kBinaryErrorRate] = rate;
  const std::string ties =
      elements_text(tally.ties) + (tally.ties == 1 ? " is a tie" : " are ties") + ": another index, an equal value";
  if (tally.wrong() == 0) {
    return decide(row, Status::kPass,
                  std::string(outcome::kFigureColumns[static_cast<int>(Figure::kBinaryErrorRate)]) + " 0; " + ties);
  }
  std::string parts;
  add_part(parts, tally.other_value, "select another value");
  add_part(parts, tally.out_of_range, "out of range [0, " + std::to_string(size) + ")");
  add_part(parts, tally.repeated, "repeated where indices must be distinct");
  add_part(parts, tally.outside_window, "outside their window");
  decide(row, Status::kError,
         against(Figure::kBinaryErrorRate, rate, ">", 0) + ": of " + elements_text(elements) + " " + parts +
             (tally.ties > 0 ? "; " + ties : ""));
}

}  // namespace msprobe::metrics
