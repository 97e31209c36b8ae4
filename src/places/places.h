// Places of a dump's APIs, out of the stack.json and construct.json beside it (docs/cause.md#where-it-was-called).
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "places/place.h"

namespace msprobe::places {

/// For one thread.
class Places {
 public:
  /// Opens nothing: each file is mapped and indexed when a place is asked for first. Never throws, nor do the others: a
  /// file that is there and cannot be used, or holds entries of another form, is one warning, and is otherwise as if it
  /// were not there.
  static Places open(const std::string& dump_path);
  Places(Places&&) noexcept;
  Places& operator=(Places&&) noexcept;
  ~Places();

  /// Whether one of the files is there.
  bool any() const;
  /// Of an API (`Tensor.add.0`), an entry of the dump (`Tensor.add.0.backward`) or a row
  /// (`Tensor.add.0.forward.output.0`). The frames of a backward are those of its forward, which called it.
  Place find(std::string_view name) const;

 private:
  struct Impl;
  explicit Places(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace msprobe::places
