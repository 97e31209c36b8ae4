#include "run/threads.h"

#include <ATen/Parallel.h>

#include <utility>

#include "util/cores.h"

namespace msprobe::run {

namespace {
constexpr double kPatience = 2;  // seconds: then the cores are shared
}

Threads::Threads(const config::Settings& settings, const plan::CostModel& costs, bool shared)
    : costs_(costs),
      budget_(settings.threads > 0 ? settings.threads : util::usable_cores()),
      // MindStudio's tool leaves PyTorch its threads, and its figures are to be met to the last bit.
      all_(settings.profile == config::Profile::kMindstudio),
      shared_(shared) {}

void Threads::prepare(std::optional<size_t> job) {
  prepared_ = job;
  const int fit = job ? pool::threads_for(costs_.cost(*job), most()) : 1;
  if (job) count_ = all_ ? most() : fit;
  if (shared_) budget_.take(fit, kPatience);
}

void Threads::use(size_t job) {
  if (job != prepared_) prepare(job);
  if (count_ != std::exchange(set_, count_)) at::set_num_threads(count_);
}

}  // namespace msprobe::run
