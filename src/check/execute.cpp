#include "check/execute.h"

#include <algorithm>
#include <chrono>

#include "check/called.h"
#include "check/error_data.h"
#include "check/error_text.h"
#include "check/judged.h"
#include "check/rebuilt.h"
#include "check/ways.h"
#include "ops/skip.h"
#include "outcome/skipped.h"

namespace msprobe::check {
namespace {

using outcome::ApiOutcome;
using outcome::Stage;
using outcome::Status;

bool to_be_saved(config::SaveData mode, const ApiOutcome& outcome) {
  if (mode != config::SaveData::kError) return mode == config::SaveData::kAll;
  const auto bad = [](Status s) { return s == Status::kWarning || s == Status::kError; };
  return bad(outcome.forward) || bad(outcome.backward) ||
         std::any_of(outcome.rows.begin(), outcome.rows.end(),
                     [](const outcome::Row& row) { return row.assessed.word == outcome::Assessment::kSuspect; });
}

void save(const Session& session, const Rebuilt& rebuilt, const Called& called, ApiOutcome& outcome) {
  if (!to_be_saved(session.options.save_data, outcome)) return;
  add_note(outcome.message, save_evidence(session.options.error_data_dir, rebuilt.name().full,
                                          {rebuilt.inputs, rebuilt.output_gradients, called.golden.outputs,
                                           called.device.outputs, called.gradients.golden, called.gradients.device}));
}

// After an API that ended early: what it left running on the device must not fail under the next one's name, and memory
// that was short is given back. A device that still fails is lost to this process, which is then replaced.
ErrorText told_after(device::Device& device, const ErrorText& error) {
  try {
    device.synchronize();
  } catch (...) {
    const std::string last = describe_error(std::current_exception()).text;
    const std::string detail = error.text + (last == error.text ? "" : "; then " + last);
    return {message_of(outcome::Reason::kDeviceLost, detail), outcome::Reason::kDeviceLost};
  }
  if (!error.out_of_memory()) return error;
  try {
    device.empty_cache();
  } catch (...) {
    return {error.text + "; emptying the cache: " + describe_error(std::current_exception()).text, error.reason};
  }
  return error;
}

}  // namespace

// Stays where it is made: ways to call may refer to what was rebuilt.
struct Check::Begun {
  Begun(const Session& session, size_t i)
      : rebuilt(rebuild(session, session.index.read(i))), ways(find_ways(session, rebuilt)) {}

  const Rebuilt rebuilt;
  Ways ways;  // used up by the call
};

Check::Check(const Session& session, size_t i) : session_(session), api_(session.index.entries()[i].api) {
  guarded([&] {
    const ops::NameLists lists{session.options.white_list, session.options.black_list};
    if (auto reason = ops::skip_by_name(dump::parse_api_name(api_), lists, session.standards)) {
      outcome_ = outcome::skipped_outcome(api_, *reason);
      return;
    }
    session.enter(Stage::kRebuild);
    begun_ = std::make_unique<Begun>(session, i);
  });
}

Check::~Check() = default;

ApiOutcome Check::run() {
  guarded([&] {
    if (!begun_) return;
    {
      const Called called = call(session_, begun_->rebuilt, std::move(begun_->ways));
      session_.enter(Stage::kComparison);
      outcome_ = judge(session_, begun_->rebuilt, called);
      save(session_, begun_->rebuilt, called, outcome_);
    }
    begun_.reset();  // its tensors go within the time of the API
  });
  outcome_.seconds = seconds_;
  return std::move(outcome_);
}

template <class Part>
void Check::guarded(const Part& part) {
  const auto start = std::chrono::steady_clock::now();
  try {
    part();
  } catch (...) {
    const ErrorText error = describe_error(std::current_exception());
    begun_.reset();  // its tensors go before the device is asked to give memory back
    const ErrorText told = told_after(session_.device, error);
    outcome_ = outcome::skipped_outcome(api_, told.text, told.reason);
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ApiOutcome check_api(const Session& session, size_t i) {
  return Check(session, i).run();
}

}  // namespace msprobe::check
