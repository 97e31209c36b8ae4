// Variables of the environment, for as long as a test needs them.
#pragma once
#include <stdlib.h>

#include <optional>
#include <string>

namespace msprobe::support {

/// A variable of this value (nullptr: not set) while the object lives; then what it was before.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  void set(const char* value) const {
    value != nullptr ? ::setenv(name_.c_str(), value, 1) : ::unsetenv(name_.c_str());
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace msprobe::support
