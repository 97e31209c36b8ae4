#include "config/listed_facts.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace msprobe::config {
namespace {

using Named = std::pair<const std::string, ApiFacts>;

/// By name, whatever the order of the table.
std::vector<const Named*> sorted(const FactTable& known) {
  std::vector<const Named*> entries;
  for (const auto& entry : known) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const Named* a, const Named* b) { return a->first < b->first; });
  return entries;
}

using Entries = std::vector<const Named*>;

template <class Has>
ApiList names_with(const Entries& entries, Has&& has) {
  std::vector<std::string> names;
  for (const Named* entry : entries)
    if (has(entry->second)) names.push_back(entry->first);
  return ApiList(std::move(names));
}

/// `value_of`: an optional value of an entry.
template <class Value, class ValueOf>
void values_of(const Entries& entries, ValueOf&& value_of, ApiMap<Value>& values) {
  values = {};
  for (const Named* entry : entries)
    if (std::optional<Value> value = value_of(entry->second)) values.add(entry->first, *std::move(value));
}

auto random_when(Randomness::When when) {
  return [when](const ApiFacts& facts) {
    return facts.random && facts.random->when == when ? std::optional(facts.random->parameter) : std::nullopt;
  };
}

using When = Randomness::When;

struct Section {
  std::string_view name;
  void (*fill)(const Entries&, Standards&);
};

constexpr Section kSections[] = {
    {"index_apis",
     [](const Entries& e, Standards& s) {
       s.index_apis = names_with(e, [](const ApiFacts& f) { return f.index_output.has_value(); });
     }},
    {"skip_apis",
     [](const Entries& e, Standards& s) { s.skip_apis = names_with(e, [](const ApiFacts& f) { return f.skip; }); }},
    {"random_apis",
     [](const Entries& e, Standards& s) {
       s.random_apis = names_with(e, [](const ApiFacts& f) { return f.random && f.random->when == When::kAlways; });
     }},
    {"random_by_argument",
     [](const Entries& e, Standards& s) { values_of(e, random_when(When::kAboveZero), s.random_by_argument); }},
    {"random_without_argument",
     [](const Entries& e, Standards& s) { values_of(e, random_when(When::kWithout), s.random_without_argument); }},
    {"random_below_one",
     [](const Entries& e, Standards& s) { values_of(e, random_when(When::kBelowOne), s.random_below_one); }},
    {"no_backward_apis",
     [](const Entries& e, Standards& s) {
       s.no_backward_apis = names_with(e, [](const ApiFacts& f) { return f.no_backward; });
     }},
    {"not_raised", [](const Entries& e,
                      Standards& s) { s.not_raised = names_with(e, [](const ApiFacts& f) { return f.not_raised; }); }},
    {"dtype_defaults",
     [](const Entries& e, Standards& s) {
       values_of(
           e, [](const ApiFacts& f) { return f.dtype_default; }, s.dtype_defaults);
     }},
    {"judged_outputs",
     [](const Entries& e, Standards& s) {
       const auto count = [](const ApiFacts& f) {
         return f.judged_outputs > 0 ? std::optional(f.judged_outputs) : std::nullopt;
       };
       values_of(e, count, s.judged_outputs);
     }},
    {"removed_apis", [](const Entries& e,
                        Standards& s) { s.removed_apis = names_with(e, [](const ApiFacts& f) { return f.removed; }); }},
    {"unsupported",
     [](const Entries& e, Standards& s) {
       const auto reason = [](const ApiFacts& f) {
         return f.unsupported.empty() ? std::nullopt : std::optional(f.unsupported);
       };
       values_of(e, reason, s.unsupported);
     }},
};

}  // namespace

const std::set<std::string, std::less<>>& listed_facts() {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> all;
    for (const Section& section : kSections) all.emplace(section.name);
    return all;
  }();
  return names;
}

void fill_listed_facts(const FactTable& known, const std::set<std::string, std::less<>>& given, Standards& standards) {
  const Entries entries = sorted(known);
  for (const Section& section : kSections)
    if (!given.contains(section.name)) section.fill(entries, standards);
}

}  // namespace msprobe::config
