#include "check/in_float64.h"

#include <algorithm>

#include "config/api_facts.h"
#include "goldens/low_precision.h"
#include "ops/asked.h"
#include "signatures/python_names.h"

namespace msprobe::check {
namespace {

using inputs::Arguments;
using inputs::Value;

bool has_golden_of_its_own(const Session& session, const Rebuilt& r) {
  return r.name().type == "NPU" || session.goldens.users_golden(r.name()) != nullptr;
}

bool is_raised(const Session& session, const Rebuilt& r) {
  return session.options.profile() == config::Profile::kDocumented && !r.not_raised &&
         !has_golden_of_its_own(session, r);
}

// By position it is the last one that may be left out: every parameter behind it is one by keyword.
void leave_out(const std::string& parameter, const ops::Asked& asked, Arguments& arguments) {
  if (asked.place) {
    arguments.args.resize(*asked.place);
    return;
  }
  std::erase_if(arguments.kwargs, [&](const auto& keyword) { return keyword.first == parameter; });
}

void unset(const std::string& parameter, const ops::Asked& asked, Arguments& arguments) {
  if (asked.place) {
    arguments.args[*asked.place] = Value(false);
    return;
  }
  for (auto& [keyword, value] : arguments.kwargs)
    if (keyword == parameter) value = Value(false);
}

}  // namespace

Arguments in_float64(const Session& session, const Rebuilt& r, Arguments golden) {
  if (!is_raised(session, r)) return golden;
  const auto* const known =
      config::installed_api_facts().find(config::ApiNames(r.name()).with_plain_forms(), &config::ApiFacts::in_float64);
  if (known == nullptr) return golden;
  for (const auto& [parameter, rule] : *known) {
    const ops::Asked asked = ops::ask(r.name(), golden, parameter);
    if (asked.value == nullptr) continue;
    if (rule == config::InFloat64::kLeftOut)
      leave_out(parameter, asked, golden);
    else
      unset(parameter, asked, golden);
  }
  return golden;
}

ops::Candidate golden_in_float64(const Session& session, const Rebuilt& r, const ops::Candidate& devices) {
  if (!is_raised(session, r)) return devices;
  const config::PythonName python = signatures::python_name(r.name());
  const goldens::LowPrecision* const own = goldens::find_low_precision(config::without_overload(python));
  return own == nullptr ? devices : ops::Candidate{devices.how, own->call, devices.judged_outputs};
}

}  // namespace msprobe::check
