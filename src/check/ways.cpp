#include "check/ways.h"

#include "check/skip.h"
#include "goldens/candidates.h"

namespace msprobe::check {
namespace {

std::vector<ops::Candidate> at_least_one(const Session& session, const Rebuilt& r,
                                         std::vector<ops::Candidate> candidates) {
  if (candidates.empty()) throw Skip(goldens::nothing_to_call(session.goldens, r.name()));
  return candidates;
}

}  // namespace

Ways find_ways(const Session& session, const Rebuilt& r) {
  auto candidates = r.name().type == "NPU"
                        ? goldens::candidates(session.goldens, r.name(), /*golden=*/false, session.device)
                        : ops::candidates(r.name(), r.inputs);
  return {at_least_one(session, r, std::move(candidates)), prepare_device(session, r, r.lost_dtype.has_value())};
}

std::vector<ops::Candidate> golden_ways(const Session& session, const Rebuilt& r, std::vector<ops::Candidate> devices) {
  if (r.name().type != "NPU" && session.goldens.users_golden(r.name()) == nullptr) return devices;
  return at_least_one(session, r, goldens::candidates(session.goldens, r.name(), /*golden=*/true, session.device));
}

}  // namespace msprobe::check
