// Status and Message of a row (docs/figures.md#status-in-this-order). Messages name the figure that decided and
// its limit.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "config/standards.h"
#include "metrics/figures.h"
#include "metrics/partial.h"
#include "outcome/row.h"

namespace msprobe::metrics {

/// Rules 3 to 5 for floating and complex outputs; row.figures are filled. Profile mindstudio then blanks what
/// MindStudio leaves blank behind the rule that decided. Returns the figure that decided; nullopt: none did.
std::optional<outcome::Figure> judge_floats(const Partial& sums, const Subject& subject,
                                            const config::Standards& standards, outcome::Row& row);

/// Names containing "dropout": by the number of zeros alone. Returns the difference / its limit; nullopt: there are too
/// few elements to judge.
std::optional<double> judge_dropout(int64_t golden_zeros, int64_t device_zeros, int64_t elements,
                                    const config::Standards& standards, outcome::Row& row);

/// Sets status and message.
void decide(outcome::Row& row, outcome::Status status, std::string message);
/// Appends to the message, "; " between.
void remark(outcome::Row& row, const std::string& text);

/// "最大绝对误差 0.002 >= 0.001".
std::string against(outcome::Figure figure, double value, std::string_view relation, double limit);
/// Six significant digits; "inf", "nan".
std::string number_text(double value);
/// "1 element", "12 elements".
std::string elements_text(int64_t count);

}  // namespace msprobe::metrics
