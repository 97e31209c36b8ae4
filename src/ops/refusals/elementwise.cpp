// Dropout and activations: numbers out of their range.
#include "ops/refusals/refusal.h"

namespace msprobe::ops {
namespace {

void check_probability(const PythonCall& c) {
  const double p = c.number("p");
  if (p < 0 || p > 1) value_error("dropout probability has to be between 0 and 1, but got " + python_text(c["p"]));
}

constexpr const char* kDropout = "input, p=0.5, training=True, inplace=False";

const RefusalRegistration dropout({"dropout", "alpha_dropout", "dropout2d", "dropout3d", "feature_alpha_dropout"},
                                  kDropout, check_probability);

const RefusalRegistration dropout1d({"dropout1d"}, kDropout, [](const PythonCall& c) {
  check_probability(c);
  const int64_t dim = c.tensor("input").dim();
  if (dim != 2 && dim != 3)
    runtime_error("dropout1d: Expected 2D or 3D input, but received a " + std::to_string(dim) +
                  "D input. Note that dropout1d exists to provide channel-wise dropout on inputs with 1 spatial "
                  "dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs).");
});

const RefusalRegistration glu({"glu"}, "input, dim=-1", [](const PythonCall& c) {
  if (c.tensor("input").dim() == 0) runtime_error("glu does not support scalars because halving size must be even");
});

const RefusalRegistration hardtanh({"hardtanh"}, "input, min_val=-1.0, max_val=1.0, inplace=False",
                                   [](const PythonCall& c) {
                                     if (c.number("min_val") > c.number("max_val"))
                                       value_error("min_val cannot be greater than max_val");
                                   });

}  // namespace
}  // namespace msprobe::ops
