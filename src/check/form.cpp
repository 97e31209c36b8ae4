#include "check/form.h"

#include <ATen/ATen.h>

#include "check/lost_dtype.h"
#include "check/outputs.h"
#include "check/skip.h"
#include "config/api_facts.h"

namespace msprobe::check {
namespace {

bool near(const at::Tensor& a, const at::Tensor& b) {
  return at::allclose(a, b, 1e-2, 1e-3, /*equal_nan=*/true);
}

// Only to tell namesakes apart, so a loose likeness is enough.
bool near_record(const at::Tensor& replayed, const at::Tensor& recorded) {
  const at::Tensor a = replayed.detach().to(at::kCPU);
  if (at::isFloatingType(a.scalar_type())) return near(a.to(at::kDouble), recorded.to(at::kDouble));
  if (at::isComplexType(a.scalar_type()))
    return near(at::view_as_real(a.to(at::kComplexDouble).resolve_conj()),
                at::view_as_real(recorded.to(at::kComplexDouble)));
  return at::equal(a, recorded);
}

bool values_near_record(const Session& session, const Rebuilt& r, const Side& side) {
  for (size_t i = 0; i < r.recorded.size(); ++i) {
    const at::Tensor recorded = recorded_tensor(session, r, i);
    const auto* t = side.outputs[i].get_if<at::Tensor>();
    if (!recorded.defined() || t == nullptr || t->numel() == 0) continue;
    if (!near_record(*t, recorded)) return false;
  }
  return true;
}

bool fits_record(const Session& session, const Rebuilt& r, const Side& side) {
  if (!r.record.forward.output || side.changed_argument) return true;
  if (!difference_from_record(side.outputs, r.recorded).empty()) return false;
  return !session.index.has_real_data() || r.dropout || values_near_record(session, r, side);
}

// A dump does not hold a Python function that the call was given. torch.nn's modules name PyTorch's own there as well,
// so only a recorded value can tell.
void check_callable(const Session& session, const Rebuilt& r, const Side& device) {
  const std::string* const callable =
      config::installed_api_facts().find(config::ApiNames(r.name()), &config::ApiFacts::callable);
  if (callable == nullptr || r.inputs.kwarg(*callable) == nullptr) return;  // PyTorch's take it by keyword alone
  const bool told = !r.recorded.empty() && recorded_tensor(session, r, 0).defined();
  if (!told || !fits_record(session, r, device)) throw Skip(*callable + " is not recorded");
}

// In the order of trying.
std::vector<Form> forms_of(const Rebuilt& r, size_t ways) {
  std::vector<Form> forms;
  for (size_t way = 0; way < ways; ++way) {
    for (const bool autocast : {true, false}) {
      if (autocast && !r.autocast) continue;
      for (const bool with_dtype : {true, false})
        if (!with_dtype || r.lost_dtype) forms.push_back({way, with_dtype, autocast});
    }
  }
  return forms;
}

Chosen try_forms(const Session& session, const Rebuilt& r, const std::vector<ops::Candidate>& ways, Side first) {
  const std::vector<Form> forms = forms_of(r, ways.size());
  std::exception_ptr first_error, first_mismatch;
  std::optional<Chosen> fallback;
  for (const Form& form : forms) {
    try {
      Side side = &form == forms.data() ? std::move(first) : prepare_device(session, r, form.with_dtype);
      side = call_device(session, r, ways[form.way], std::move(side), form.autocast);
      if (forms.size() == 1 || fits_record(session, r, side)) return {std::move(side), form, true};
      if (!fallback) fallback = Chosen{std::move(side), form, false};
    } catch (const ops::NoMatch&) {
      if (!first_mismatch) first_mismatch = std::current_exception();
    } catch (...) {
      if (!first_error) first_error = std::current_exception();
    }
  }
  if (!fallback) std::rethrow_exception(first_error ? first_error : first_mismatch);
  return std::move(*fallback);
}

}  // namespace

Chosen choose_form(const Session& session, const Rebuilt& r, const std::vector<ops::Candidate>& ways, Side first) {
  Chosen chosen = try_forms(session, r, ways, std::move(first));
  check_callable(session, r, chosen.device);
  return chosen;
}

Notes form_notes(const Rebuilt& r, const std::vector<ops::Candidate>& ways, const Chosen& chosen) {
  const std::string& how = ways[chosen.form.way].how;
  Notes notes;
  if (chosen.fits && chosen.form.way > 0) notes.push_back("called as " + how + ", which gives the recorded output");
  if (!chosen.fits && ways.size() > 1)
    notes.push_back("called as " + how + "; no way to call it gives the recorded output");
  if (chosen.form.with_dtype) notes.push_back(lost_dtype_text(r.inputs));
  if (chosen.fits && r.autocast && !chosen.form.autocast)
    notes.emplace_back("replayed without autocast, as the recorded output's dtype shows");
  return notes;
}

}  // namespace msprobe::check
