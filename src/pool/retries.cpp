#include "pool/retries.h"

#include "pool/death.h"

namespace msprobe::pool {

bool Retries::again(uint32_t job, const Death& death) {
  if (++deaths_[job] >= kMostDeaths) return false;
  bool once_more = !death.fresh || (death.elsewhere && tried_elsewhere_.insert(job).second);
  if (death.killed) once_more = !(death.memory_ran_out && lone_) && killed_once_.insert(job).second;
  if (once_more && death.by_itself) first_crash_.try_emplace(job, Crash{death.device, first_crash_text(death.text)});
  return once_more;
}

std::optional<int> Retries::done(uint32_t job, int device, outcome::ApiOutcome& outcome, int limit) {
  const bool checked = outcome.forward != outcome::Status::kSkip;
  const auto crash = first_crash_.find(job);
  if (crash == first_crash_.end()) {
    if (checked) blamed_[device] = 0;
    return std::nullopt;
  }
  outcome.message += (outcome.message.empty() ? "" : "; ") + crash->second.text;
  const int suspect = crash->second.device;
  if (!checked || suspect == device) return std::nullopt;
  return ++blamed_[suspect] >= limit ? std::optional(suspect) : std::nullopt;
}

}  // namespace msprobe::pool
