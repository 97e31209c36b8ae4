#include "pool/assessed_bytes.h"

#include <optional>
#include <vector>

namespace msprobe::pool {
namespace {

using outcome::Assessed;
using outcome::Errors;
using outcome::Evidence;
using outcome::WorstElement;

template <class T>
void put_numbers(Writer& out, const std::vector<T>& numbers) {
  out.put(static_cast<uint32_t>(numbers.size()));
  for (const T number : numbers) out.put(number);
}

// Vectors grow by what is really there, whatever length is claimed.
template <class T>
bool get_numbers(Reader& in, std::vector<T>& numbers) {
  uint32_t count = 0;
  if (!in.get(count)) return false;
  for (uint32_t i = 0; i < count; ++i)
    if (!in.get(numbers.emplace_back())) return false;
  return true;
}

void put(Writer& out, const Errors& e) {
  for (const double value : {e.rms, e.max_relative, e.mean_relative, e.max_abs}) out.put(value);
  for (const int64_t value : {e.zeros, e.special}) out.put(value);
}

bool get(Reader& in, Errors& e) {
  return in.get(e.rms) && in.get(e.max_relative) && in.get(e.mean_relative) && in.get(e.max_abs) && in.get(e.zeros) &&
         in.get(e.special);
}

void put(Writer& out, const WorstElement& e) {
  put_numbers(out, e.index);
  for (const double value : {e.golden, e.device, e.golden_imag, e.device_imag, e.ulp}) out.put(value);
}

bool get(Reader& in, WorstElement& e) {
  return get_numbers(in, e.index) && in.get(e.golden) && in.get(e.device) && in.get(e.golden_imag) &&
         in.get(e.device_imag) && in.get(e.ulp);
}

void put(Writer& out, const Evidence& e) {
  put_numbers(out, e.shape);
  out.put(e.elements);
  out.put(e.bad);
  out.put(static_cast<uint32_t>(e.worst.size()));
  for (const WorstElement& element : e.worst) put(out, element);
  for (const int64_t count : e.ulp_histogram) out.put(count);
  out.put(static_cast<uint32_t>(e.along.size()));
  for (const auto& shares : e.along) put_numbers(out, shares);
}

bool get(Reader& in, Evidence& e) {
  uint32_t worst = 0, dimensions = 0;
  if (!get_numbers(in, e.shape) || !in.get(e.elements) || !in.get(e.bad) || !in.get(worst)) return false;
  for (uint32_t i = 0; i < worst; ++i)
    if (!get(in, e.worst.emplace_back())) return false;
  for (int64_t& count : e.ulp_histogram)
    if (!in.get(count)) return false;
  if (!in.get(dimensions)) return false;
  for (uint32_t i = 0; i < dimensions; ++i)
    if (!get_numbers(in, e.along.emplace_back())) return false;
  return true;
}

template <class T>
void put_optional(Writer& out, const std::optional<T>& value) {
  out.put(static_cast<uint8_t>(value.has_value()));
  if (value) put(out, *value);
}

template <class T>
bool get_optional(Reader& in, std::optional<T>& value) {
  uint8_t there = 0;
  if (!in.get(there) || there > 1) return false;
  return there == 0 || get(in, value.emplace());
}

}  // namespace

void put_assessed(Writer& out, const Assessed& assessed) {
  out.put(static_cast<uint8_t>(assessed.word));
  out.put(assessed.severity);
  out.put_text(assessed.clause);
  for (const auto* errors : {&assessed.device, &assessed.rounded, &assessed.second}) put_optional(out, *errors);
  put_optional(out, assessed.evidence);
}

bool get_assessed(Reader& in, Assessed& assessed) {
  if (!in.get_enum(assessed.word, outcome::kAssessmentCount) || !in.get(assessed.severity) ||
      !in.get_text(assessed.clause))
    return false;
  for (auto* errors : {&assessed.device, &assessed.rounded, &assessed.second})
    if (!get_optional(in, *errors)) return false;
  return get_optional(in, assessed.evidence);
}

}  // namespace msprobe::pool
