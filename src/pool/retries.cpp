#include "pool/retries.h"

namespace msprobe::pool {

bool Retries::again(uint32_t job, const FailedTry& failed) {
  if (++deaths_[job] >= kMostDeaths) return false;
  bool once_more = !failed.fresh || (failed.elsewhere && tried_elsewhere_.insert(job).second);
  if (died_of_sigkill(failed.death)) {
    const bool own_doing = lone_ && failed.death.kind == Death::Kind::kKilledForMemory;
    once_more = !own_doing && killed_once_.insert(job).second;
  }
  if (once_more && died_by_itself(failed.death)) first_crash_.try_emplace(job, failed);
  return once_more;
}

std::optional<int> Retries::done(uint32_t job, int device, outcome::ApiOutcome& outcome, int limit) {
  const bool checked = outcome.forward != outcome::Status::kSkip;
  const auto crash = first_crash_.find(job);
  if (crash == first_crash_.end()) {
    if (checked) blamed_[device] = 0;
    return std::nullopt;
  }
  outcome.message += (outcome.message.empty() ? "" : "; ") + first_try_message(crash->second.death);
  const int suspect = crash->second.device;
  if (!checked || suspect == device) return std::nullopt;
  return ++blamed_[suspect] >= limit ? std::optional(suspect) : std::nullopt;
}

}  // namespace msprobe::pool
