#include "inputs/valid.h"

#include <algorithm>

#include "inputs/conversions.h"
#include "inputs/valid_rules.h"
#include "util/error.h"
#include "util/one_line.h"

namespace msprobe::inputs {
namespace {

/// The rules by the names that config/signatures.yaml gives them; which parameter of which API keeps which stands
/// there.
struct Rule {
  std::string_view name;
  RuleFunction apply;
};

constexpr Rule kRules[] = {
    {"ascending", sort_ascending},
    {"ascending from 0", sort_from_zero},
    {"sorted by sorter", sort_by_sorter},
    {"offsets of bags", order_bag_offsets},
    {"batch sizes", order_batch_sizes},
    {"lengths of packed sequences", order_pack_lengths},
    {"lengths of segments", sum_segment_lengths},
    {"offsets of segments", order_segment_offsets},
    {"repeats", sum_repeats},
    {"split points", split_as_recorded},
    {"lengths of targets", fit_target_lengths},
    {"groups", order_group_list},
    {"selects as recorded", count_selected},
    {"takes all of source", count_scattered},
    {"nonzero as recorded", count_nonzero},
    {"index", fit_index},
    {"distinct", distinct_positions},
    {"distinct along dim", distinct_along_dim},
    {"distinct unless accumulated", distinct_put},
    {"distinct in plane", distinct_in_plane},
    {"no zero", without_zero},
    {"minus one or one", either_end},
    {"positive definite", positive_definite},
    {"strong diagonal", strong_diagonal},
    {"pivots", pivots},
};

const Rule* find_rule(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& rule) { return rule.name == name; });
  return found == std::end(kRules) ? nullptr : found;
}

const Rule& known_rule(const config::ValueRule& value) {
  if (const Rule* rule = find_rule(value.rule)) return *rule;
  throw Error(value.where, "no rule for values is called " + util::one_line(value.rule),
              "take one of those that the installed signatures.yaml lists");
}

}  // namespace

void require_known_rules(const config::FactTable& known) {
  const auto check = [](const std::vector<config::ValueRule>& values) {
    for (const config::ValueRule& value : values)
      if (!is_conversion(value.rule)) known_rule(value);
  };
  check(known.values_of_all());
  for (const auto& [name, facts] : known) check(facts.values);
}

void make_valid(const dump::Record& record, const BuildContext& context, Arguments& arguments,
                std::vector<std::string>& notes) {
  ValidCall call(record, context, arguments, notes);
  const auto names = config::ApiNames(record.name).with_plain_forms();
  if (const auto* values = context.known.find(names, &config::ApiFacts::values)) {
    for (const config::ValueRule& value : *values) {
      if (is_conversion(value.rule)) continue;
      if (const auto place = call.find(value.parameter)) known_rule(value).apply(call, *place, value.parameter);
    }
  }
  const auto& keywords = record.forward.kwargs;
  for (const config::ValueRule& value : context.known.values_of_all())
    for (size_t i = 0; i < keywords.size(); ++i)
      if (keywords[i].first == value.parameter) known_rule(value).apply(call, Place{true, i}, value.parameter);
}

}  // namespace msprobe::inputs
