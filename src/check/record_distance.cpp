#include "check/record_distance.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "check/error_text.h"
#include "check/judged_rows.h"
#include "check/outputs.h"
#include "metrics/compare.h"

namespace msprobe::check {
namespace {

struct Distance {
  double ulp = 0;
  std::string text;  // behind "recorded output 0 "; empty: they are identical
};

bool counts_elements(const at::Tensor& replayed, const at::Tensor& recorded) {
  return replayed.scalar_type() == recorded.scalar_type() && replayed.sizes() == recorded.sizes() &&
         !at::isFloatingType(recorded.scalar_type()) && !at::isComplexType(recorded.scalar_type());
}

Distance distance(const at::Tensor& replayed, const at::Tensor& recorded) {
  if (counts_elements(replayed, recorded)) {
    const auto differing = at::ne(replayed, recorded).sum().item<int64_t>();
    const std::string text = "differs from the replay in " + std::to_string(differing) + " of " +
                             std::to_string(recorded.numel()) + " elements";
    return {static_cast<double>(differing), differing > 0 ? text : ""};
  }
  const auto ulp = metrics::max_ulp_distance(replayed, recorded);
  if (!ulp) return {std::numeric_limits<double>::infinity(), "has another dtype or shape than the replay's"};
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", *ulp);
  return {*ulp, *ulp > 0 ? "differs from the replay by up to " + std::string(text) + " ULP" : ""};
}

// Output `i`, which the device gave as `output`; nullopt: no data of it is recorded.
std::optional<Distance> output_distance(const Session& session, const Rebuilt& r, size_t i, const at::Tensor& output) {
  at::Tensor recorded = recorded_tensor(session, r, i);
  if (!recorded.defined()) return std::nullopt;
  at::Tensor replayed = comparable(output);
  if (replayed.sizes() == recorded.sizes()) {
    replayed = written_part(r, replayed);
    recorded = written_part(r, recorded);
  }
  return distance(replayed, recorded);
}

}  // namespace

RecordDistance distance_from_record(const Session& session, const Rebuilt& r, const Called& called) {
  RecordDistance all;
  if (!session.index.has_real_data() || called.changed_argument || r.dropout) return all;
  const size_t n = std::min({r.recorded.size(), called.device.outputs.size(), called.judged_outputs});
  for (size_t i = 0; i < n; ++i) {
    const auto* t = called.device.outputs[i].get_if<at::Tensor>();
    if (t == nullptr || !t->defined()) continue;
    const std::string output = "recorded output " + std::to_string(i);
    try {
      const auto found = output_distance(session, r, i, *t);
      if (!found) continue;
      all.ulp = std::max(all.ulp.value_or(0), found->ulp);
      if (!found->text.empty()) all.notes.push_back(output + " " + found->text);
    } catch (const std::exception&) {
      all.notes.push_back(output + ": " + describe_error(std::current_exception()).text);
    }
  }
  return all;
}

}  // namespace msprobe::check
