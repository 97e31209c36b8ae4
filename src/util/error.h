// Errors that a person reads: where it happened, what was found, how to go on.
#pragma once
#include <stdexcept>
#include <string>

namespace msprobe {

/// Thrown for bad input and for a failing environment. what() is one line: "where: what; remedy".
/// where:  file and place in it (`dump.json: data."Torch.mul.0.forwrd"`), or the option; may be empty.
/// what:   what was found and what was expected.
/// remedy: what the user can do; may be empty.
class Error : public std::runtime_error {
 public:
  Error(std::string where, std::string what, std::string remedy = "")
      : std::runtime_error((where.empty() ? what : where + ": " + what) + (remedy.empty() ? "" : "; " + remedy)),
        where_(std::move(where)),
        message_(std::move(what)),
        remedy_(std::move(remedy)) {}
  const std::string& where() const { return where_; }
  const std::string& message() const { return message_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string where_, message_, remedy_;
};

}  // namespace msprobe
