#include "report/worst_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace msprobe::report {
namespace {

using outcome::Figure;
using outcome::Row;
using outcome::Status;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string_view column(Figure figure) {
  return outcome::kFigureColumns[static_cast<size_t>(figure)];
}

Finding beyond(Figure figure, double value, std::string_view relation, double limit, double excess) {
  return {fmt::format("{} {:.6g} {} {:.6g}", column(figure), value, relation, limit), excess};
}

/// A share that must be more than 1 - threshold; nothing when it is or when it was not computed.
std::optional<Finding> missed_share(const Row& row, Figure figure, double threshold) {
  const auto& share = row[figure];
  if (!share || *share > 1 - threshold) return std::nullopt;
  return beyond(figure, *share, "<=", 1 - threshold, threshold > 0 ? (1 - *share) / threshold : kInfinity);
}

bool is_half(std::string_view dtype) {
  return dtype == "torch.float16" || dtype == "torch.bfloat16";
}

/// Orders magnitudes; nan stands above all, nothing below all.
double weight(const std::optional<double>& value) {
  if (!value) return -1;
  return std::isnan(*value) ? kInfinity : std::abs(*value);
}

bool is_suspect(const WorstRow& row) {
  return row.assessment == outcome::Assessment::kSuspect;
}

bool is_worse(const WorstRow& a, const WorstRow& b) {
  if (is_suspect(a) != is_suspect(b)) return is_suspect(a);
  if (is_suspect(a) && a.severity != b.severity) return a.severity > b.severity;
  if (a.status != b.status) return a.status == Status::kError;
  if (a.finding.excess != b.finding.excess) return a.finding.excess > b.finding.excess;
  return weight(a.max_abs) > weight(b.max_abs);
}

}  // namespace

Finding find_reason(const Row& row, const config::Standards& standards) {
  if (const auto& rate = row[Figure::kBinaryErrorRate]; rate && *rate > 0 && !row[Figure::kCosine])
    return beyond(Figure::kBinaryErrorRate, *rate, ">", 0, kInfinity);
  if (const auto& cosine = row[Figure::kCosine]; cosine && *cosine <= standards.cosine_threshold)
    return beyond(Figure::kCosine, *cosine, "<=", standards.cosine_threshold,
                  (1 - *cosine) / (1 - standards.cosine_threshold));
  const bool half = is_half(row.device_dtype);
  const std::pair<Figure, double> shares[] = {{Figure::kHundredth, standards.hundredth_threshold},
                                              {Figure::kThousandth, standards.thousandth_threshold},
                                              {Figure::kTenThousandth, standards.ten_thousandth_threshold}};
  // Half precision errs by the first and warns by the second, single precision by the second and the third.
  const auto& [figure, threshold] = shares[(half ? 0 : 1) + (row.status == Status::kWarning ? 1 : 0)];
  if (const auto missed = missed_share(row, figure, threshold)) return *missed;
  return {row.message.empty() ? "see its message" : row.message, kInfinity};
}

void WorstRows::add(const Row& row) {
  const bool suspect = row.assessed.word == outcome::Assessment::kSuspect;
  if (row.status != Status::kError && row.status != Status::kWarning && !suspect) return;
  Finding finding = suspect ? Finding{row.assessed.clause, kInfinity} : find_reason(row, standards_);
  WorstRow candidate{row.status,       row.assessed.word,  row.assessed.severity, row.name,
                     row.device_dtype, std::move(finding), row[Figure::kMaxAbs]};
  const auto place = std::upper_bound(rows_.begin(), rows_.end(), candidate, is_worse);
  if (static_cast<size_t>(place - rows_.begin()) >= most_) return;
  rows_.insert(place, std::move(candidate));
  if (rows_.size() > most_) rows_.pop_back();
}

}  // namespace msprobe::report
