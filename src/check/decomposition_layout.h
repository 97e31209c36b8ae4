// Where the results of a decomposition stand, and what its two ways of alignment share. Used by decompositions.cpp and
// the files of the ways only.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/decompositions.h"
#include "inputs/value.h"

namespace msprobe::check {

/// Values nearer to each other than this many epsilons of the largest (or, singular ones, to 0) count as equal: the
/// rounding of one turns their vectors among themselves by more than the shares of figures allow.
constexpr double kGap = 4096;

enum class Kind { kEigen, kHermitian, kSingular };

struct Vectors {
  int output = -1;    ///< none: values alone
  bool rows = false;  ///< Vh: vectors are its rows
};

struct Layout {
  std::string_view how;  ///< the operator
  Kind kind;
  int values;
  std::array<Vectors, 2> vectors;
};

using Outputs = std::vector<inputs::Value>;

/// Of both sides, plain: what figures take, in the golden's dtype.
struct Pair {
  at::Tensor golden, device;
};
/// Output `i`; nullopt where the sides cannot be matched.
std::optional<Pair> both(const Outputs& golden, const Outputs& device, int i);
/// The machine epsilon that the device's output `i`, a tensor, was computed in.
double epsilon_of_output(const Outputs& device, int i);

/// The factor of modulus 1 that turns each golden column to the device's.
at::Tensor phases(const at::Tensor& overlap);
/// "up to sign", for Message.
std::string factor_word(const at::Tensor& vectors);

/// Vectors that are orthonormal: of a Hermitian matrix, and singular ones.
Aligned align_orthonormal(const Layout& layout, Outputs golden, const Outputs& device, bool grad_mode);
/// Complex eigenvalues, and their vectors where the call gives them.
Aligned align_eigen(const Layout& layout, Outputs golden, const Outputs& device, bool grad_mode);

}  // namespace msprobe::check
