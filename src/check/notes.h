// What is told of an API beside its verdict. Each step of the check keeps its own, in the order in which they were
// found; the Message is made of all of them.
#pragma once
#include <string>
#include <vector>

namespace msprobe::check {

using Notes = std::vector<std::string>;  ///< empty ones say nothing

/// Appends with "; " what the message does not hold yet.
void add_note(std::string& message, const std::string& note);
void add_notes(std::string& message, const Notes& notes);

}  // namespace msprobe::check
