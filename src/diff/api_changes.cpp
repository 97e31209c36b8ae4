#include "diff/api_changes.h"

#include <algorithm>

#include "diff/verdict.h"

namespace msprobe::diff {
namespace {

using outcome::Status;

struct Parts {
  std::string_view api;
  bool backward;
};

/// `Torch.mul.0` of `Torch.mul.0.forward.output.0`; the whole name where it is no such name.
Parts parts_of(std::string_view name) {
  const size_t output = name.rfind(".output.");
  const std::string_view before = name.substr(0, output);
  if (output != std::string_view::npos)
    for (const std::string_view direction : {std::string_view(".forward"), std::string_view(".backward")})
      if (before.ends_with(direction))
        return {before.substr(0, before.size() - direction.size()), direction == ".backward"};
  return {name, false};
}

/// As outcome::combine: error, warning, pass, SKIP, blank.
int weight(Status status) {
  constexpr std::array<int, 5> kWeights = {2, 3, 4, 1, 0};  // by Status
  return kWeights[static_cast<size_t>(status)];
}

void combine(Verdict& all, const Verdict& row) {
  if (weight(row.status) > weight(all.status)) {
    all.status = row.status;
    all.reason = row.reason;
  }
  all.assessment = std::max(all.assessment, row.assessment);
}

}  // namespace

ApiChanges::Api& ApiChanges::api_of(std::string_view name) {
  const uint32_t at = names_.insert(parts_of(name).api);
  return at == util::NameIndex::kNone ? apis_.emplace_back() : apis_[at];
}

void ApiChanges::add(Side side, std::string_view name, const Verdict& verdict) {
  Api& api = api_of(name);
  api.seen[static_cast<size_t>(side)] = true;
  combine(api.directions[parts_of(name).backward ? 1 : 0].verdicts[static_cast<size_t>(side)], verdict);
}

void ApiChanges::note_move(std::string_view name) {
  api_of(name).moved = true;
}

void ApiChanges::count(bool assessed, Counts& counts) const {
  for (const Api& api : apis_) {
    Change change = api.moved ? Change::kMoved : Change::kSame;
    for (const Direction& direction : api.directions)
      change = std::max(change, change_of(direction.verdicts[0], direction.verdicts[1], assessed));
    if (!api.seen[1]) change = Change::kOnlyOld;
    if (!api.seen[0]) change = Change::kOnlyNew;
    ++counts[static_cast<size_t>(change)];
  }
}

}  // namespace msprobe::diff
