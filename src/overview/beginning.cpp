#include "overview/beginning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "config/document.h"
#include "config/settings.h"
#include "util/one_line.h"

namespace msprobe::overview {
namespace {

bool all_finite(const std::vector<Range>& ranges) {
  return std::all_of(ranges.begin(), ranges.end(), [](const Range& r) { return r.extent() == Extent::kFinite; });
}

bool is_non_finite(const Range& range) {
  return range.extent() == Extent::kInfinite || range.extent() == Extent::kNan;
}

std::vector<Range> outputs_of(const dump::ForwardRecord& forward) {
  return forward.output ? ranges_of(*forward.output, "output") : std::vector<Range>();
}

template <class Shows>
std::optional<Beginning> beginning_at(Beginning::Kind kind, const dump::Record& record, std::vector<Range> inputs,
                                      const std::vector<Range>& outputs, Shows shows) {
  const auto first = std::find_if(outputs.begin(), outputs.end(), shows);
  if (first == outputs.end()) return std::nullopt;
  return Beginning{kind, record.name.full, std::move(inputs), *first, outputs.size() > 1};
}

/// What an output of zeros comes from. Of the operands, which stand first, none may be 0: it would make the product 0.
/// A bias behind them may. Constants may cancel out: 1 - mask.
bool should_not_vanish(const std::vector<Range>& inputs) {
  constexpr size_t kOperands = 2;
  size_t tensors = 0;
  bool varies = false;
  for (const Range& input : inputs) {
    if (!input.is_tensor() || !input.has_elements()) {
      if (input.floating && input.all_zero()) return false;  // x * 0.0
      continue;
    }
    if (tensors++ < kOperands && input.all_zero()) return false;
    varies |= input.floating && input.varies();
  }
  return varies;
}

/// Tensors and floating numbers, and an integer that is one of two operands; sizes and dimensions say nothing.
std::string inputs_text(const Beginning& beginning) {
  constexpr size_t kMost = 4;
  std::vector<std::string> parts;
  for (const Range& range : beginning.inputs) {
    const bool operand = range.position == "input.1" && beginning.inputs.size() == 2;
    if (!range.is_tensor() && !range.floating && !operand) continue;
    if (!range.has_elements() || !range.largest()) continue;
    if (parts.size() == kMost) {
      parts.back() += ", ...";
      break;
    }
    parts.push_back(number_text(*range.largest()));
  }
  const std::string_view noun = beginning.kind == Beginning::Kind::kGradient ? "gradient" : "input";
  if (parts.empty()) return fmt::format("no {} of numbers", noun);
  const std::string last = parts.back();
  parts.pop_back();
  if (parts.empty()) return fmt::format("{} up to {}", noun, last);
  return fmt::format("{}s up to {} and {}", noun, fmt::join(parts, ", "), last);
}

/// What the output holds that the inputs do not.
std::string output_word(const Range& output) {
  if (output.extent() == Extent::kNan) return "nan";
  if (output.extent() != Extent::kInfinite) return "0";
  return output.high && std::isinf(*output.high) && *output.high > 0 ? "inf" : "-inf";
}

}  // namespace

bool BeginningFacts::tells(const dump::ApiName& name) const {
  return !constants.has(config::ApiNames(name)) &&
         std::find(communication.begin(), communication.end(), name.type) == communication.end();
}

BeginningFacts read_beginning_facts(const std::string& path) {
  BeginningFacts facts;
  for (const config::Node& node : config::read_document(path).children) {
    if (node.key == "constants")
      facts.constants = config::as_text_list(path, node);
    else if (node.key == "choices")
      facts.choices = config::as_text_list(path, node);
    else if (node.key == "communication")
      facts.communication = config::as_text_list(path, node);
    else
      throw config::error_at(path, node, "is unknown, expected constants, choices or communication");
  }
  return facts;
}

const BeginningFacts& installed_beginning_facts() {
  static const BeginningFacts facts = read_beginning_facts(config::installed_config("beginnings.yaml"));
  return facts;
}

std::optional<Beginning> output_begins(const dump::Record& record, const BeginningFacts& facts) {
  std::vector<Range> inputs = ranges_of(record.forward);
  if (!all_finite(inputs) || !facts.tells(record.name)) return std::nullopt;
  return beginning_at(Beginning::Kind::kOutput, record, std::move(inputs), outputs_of(record.forward), is_non_finite);
}

std::optional<Beginning> gradient_begins(const dump::Record& record, const BeginningFacts& facts) {
  if (!record.backward || !facts.tells(record.name)) return std::nullopt;
  // A derivative is made of the call's values too.
  const std::vector<Range> given = ranges_of(record.forward), made = outputs_of(record.forward);
  std::vector<Range> inputs = ranges_of(record.backward->input, "input");
  if (!all_finite(inputs) || !all_finite(given) || !all_finite(made)) return std::nullopt;
  return beginning_at(Beginning::Kind::kGradient, record, std::move(inputs),
                      ranges_of(record.backward->output, "output"), is_non_finite);
}

std::optional<Beginning> zero_begins(const dump::Record& record, const BeginningFacts& facts) {
  std::vector<Range> inputs = ranges_of(record.forward);
  if (!all_finite(inputs) || !should_not_vanish(inputs)) return std::nullopt;
  if (!facts.tells(record.name) || facts.choices.has(config::ApiNames(record.name))) return std::nullopt;
  return beginning_at(Beginning::Kind::kZero, record, std::move(inputs), outputs_of(record.forward),
                      [](const Range& range) {
                        return range.is_tensor() && range.floating && range.has_elements() && range.all_zero();
                      });
}

std::string text(const Beginning& beginning, std::string_view place) {
  const bool gradient = beginning.kind == Beginning::Kind::kGradient;
  const std::string word = output_word(beginning.output);
  const std::string what = beginning.kind == Beginning::Kind::kZero ? "all-zero output"
                           : gradient                               ? word + " gradient"
                                                                    : word;
  const std::string where = place.empty() ? "" : fmt::format(" ({})", place);
  std::string output = gradient ? "gradient of its input" : "output";
  if (beginning.several) output = util::one_line(beginning.output.position);
  return fmt::format("first {}: {}{}{}: {}, {} {}", what, util::one_line(beginning.api), gradient ? ".backward" : "",
                     where, inputs_text(beginning), output, word);
}

}  // namespace msprobe::overview
