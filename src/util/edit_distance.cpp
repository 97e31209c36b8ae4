#include "util/edit_distance.h"

#include <algorithm>

namespace msprobe::util {
namespace {

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    if (c == '-') c = '_';
  }
  return out;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  // Three rows of the table are alive at a time: two back is what a swap of neighbours looks at.
  std::vector<size_t> before(a.size() + 1), last(a.size() + 1), row(a.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i) last[i] = i;
  for (size_t j = 1; j <= b.size(); ++j) {
    row[0] = j;
    size_t best = row[0];
    for (size_t i = 1; i <= a.size(); ++i) {
      const size_t substituted = last[i - 1] + (a[i - 1] != b[j - 1]);
      row[i] = std::min({substituted, last[i] + 1, row[i - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[i] = std::min(row[i], before[i - 2] + 1);
      best = std::min(best, row[i]);
    }
    if (best > limit) return limit + 1;
    before.swap(last);
    last.swap(row);
  }
  return std::min(last[a.size()], limit + 1);
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr size_t kMostEdits = 3;
  const std::string typed = folded(name);
  std::optional<std::string> best;
  size_t best_distance = kMostEdits + 1;
  for (const std::string& candidate : known) {
    const size_t allowed = std::min(kMostEdits, std::max<size_t>(1, candidate.size() / 3));
    const size_t distance = edit_distance(typed, folded(candidate), allowed);
    if (distance <= allowed && distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const auto found = nearest(name, known);
  return found ? ", did you mean " + *found + "?" : "";
}

}  // namespace msprobe::util
