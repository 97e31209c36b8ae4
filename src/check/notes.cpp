#include "check/notes.h"

namespace msprobe::check {

void add_note(std::string& message, const std::string& note) {
  if (note.empty() || message.find(note) != std::string::npos) return;
  message += (message.empty() ? "" : "; ") + note;
}

void add_notes(std::string& message, const Notes& notes) {
  for (const std::string& note : notes) add_note(message, note);
}

}  // namespace msprobe::check
