// Which call a record stands for: a dump does not tell everything (lost namespaces, a positional dtype, autocast), so
// forms are tried on the device until one gives what was recorded; the golden follows.
#pragma once
#include "check/rebuilt.h"
#include "check/session.h"
#include "check/side.h"
#include "check/ways.h"

namespace msprobe::check {

/// One reading of what the dump does not record.
struct Form {
  size_t way = 0;           ///< of Ways::candidates
  bool with_dtype = false;  ///< the lost dtype is the recorded output's
  bool autocast = false;
};

/// The device's side, called.
struct Chosen {
  Side device;
  Form form;
  bool fits = false;  ///< it gives what was recorded, or it is the only form; else it is the first that could be called
};

/// `first` is used up. Throws Skip: what the record lacks changes the result; and what the first form throws where none
/// can be called.
Chosen choose_form(const Session& session, const Rebuilt& rebuilt, const std::vector<ops::Candidate>& ways, Side first);

/// What the choice assumed.
Notes form_notes(const Rebuilt& rebuilt, const std::vector<ops::Candidate>& ways, const Chosen& chosen);

}  // namespace msprobe::check
