// Rules of values ask for other parameters of the call by name (src/inputs/valid_*.cpp, conversions.cpp). Where an API
// has no such parameter, they take it for left out: a name that is renamed on either side is seen here alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "signatures/bound.h"
#include "support/temp_folder.h"

namespace msprobe::signatures {
namespace {

using config::FactTable;
using testing::ElementsAre;
using testing::IsEmpty;

struct Side {
  std::string_view rule;
  std::vector<std::string_view> parameters;  ///< one of these: what the code asks for
  std::set<std::string> lacking = {};        ///< entries, or "Type.entry", without it
  std::set<std::string> only = {};           ///< where the code asks some entries alone
};

const std::vector<Side> kSides = {
    {"sorted by sorter", {"sorter"}},
    {"offsets of bags", {"indices", "input"}},
    {"offsets of bags", {"include_last_offset"}},
    {"batch sizes", {"data"}},
    {"lengths of segments", {"data"}},
    {"lengths of segments", {"axis"}},
    {"offsets of segments", {"data"}},
    {"offsets of segments", {"axis"}},
    {"repeats", {"dim"}},
    {"split points", {"input"}},
    {"split points", {"dim"}},
    {"lengths of targets", {"targets"}},
    {"lengths of targets", {"input_lengths"}},
    {"groups", {"x"}},
    {"groups", {"group_list_type"}, {"npu_grouped_matmul_swiglu_quant"}},
    {"selects as recorded", {"input"}},
    {"takes all of source", {"input"}},
    {"takes all of source", {"source"}},
    {"index", {"input"}},
    {"index", {"value"}, {"__getitem__", "index", "_unsafe_index"}},
    {"index", {"accumulate"}, {"__getitem__", "__setitem__", "index", "_unsafe_index"}},
    {"distinct along dim", {"dim"}},
    {"distinct along dim", {"src"}},
    {"distinct along dim", {"reduce"}},
    {"distinct unless accumulated", {"accumulate"}},
    {"no zero", {"input", "other"}},  // other of reflected ones, whose divisor is self
    {"no zero", {"rounding_mode"}, {}, {"div", "divide"}},
    {"strong diagonal", {"pivots"}, {}, {"Torch.lu_solve"}},  // torch.linalg.lu_solve
    {"class numbers", {"input"}},
    {"triangle by sparse_mode", {"sparse_mode"}},
};

bool names(const std::set<std::string>& some, const std::string& entry, const dump::ApiName& api) {
  return some.count(entry) != 0 || some.count(api.type + "." + entry) != 0;
}

/// Whether the rule asks the API for it.
bool asks(const Side& side, const config::ValueRule& value, const std::string& entry, const dump::ApiName& api) {
  return side.rule == value.rule && (side.only.empty() || names(side.only, entry, api));
}

/// Calls visit(side, entry, api, taken) for each side parameter of each API that has the rule's own.
template <class Visit>
void for_each_side(const FactTable& table, Visit&& visit) {
  for (const auto& [entry, facts] : table)
    for (const config::ValueRule& value : facts.values)
      for (const auto& api : apis_of(entry)) {
        const Taken taken(table, api);
        if (!taken.has(value.parameter)) continue;
        for (const Side& side : kSides)
          if (asks(side, value, entry, api)) visit(side, entry, api, taken);
      }
}

/// "Tensor.put: distinct unless accumulated asks for accumulate", a line for each that is missing.
std::vector<std::string> unbound_sides(const FactTable& table) {
  std::vector<std::string> wrong;
  for_each_side(table, [&](const Side& side, const std::string& entry, const dump::ApiName& api, const Taken& taken) {
    const bool has = std::any_of(side.parameters.begin(), side.parameters.end(),
                                 [&](std::string_view parameter) { return taken.has(parameter); });
    std::string line = api.type + "." + api.name + ": " + std::string(side.rule);
    line.append(" asks for ").append(side.parameters[0]);
    if (has && names(side.lacking, entry, api)) wrong.push_back(line + ", which it has by now: take it off the list");
    if (!has && !names(side.lacking, entry, api)) wrong.push_back(line);
  });
  std::sort(wrong.begin(), wrong.end());
  return wrong;
}

TEST(SideParameters, OfEveryRuleExistInEveryApiThatKeepsIt) {
  EXPECT_THAT(unbound_sides(installed()), IsEmpty());
}

TEST(SideParameters, EachIsAskedOfAnApi) {
  std::set<const Side*> asked;
  for_each_side(installed(), [&](const Side& side, const auto&...) { asked.insert(&side); });
  for (const Side& side : kSides)
    EXPECT_EQ(asked.count(&side), 1u) << side.rule << " asks none for " << side.parameters[0];
}

// The table above has what the code asks for: no name more, none less.
TEST(SideParameters, AreThoseThatTheCodeAsksFor) {
  std::set<std::string> asked, listed;
  const std::regex call(R"re((?:call\.(?:find|integer|is_true|recorded)|place_of)\(([^()]*"[^()]*)\))re"),
      word("\"(\\w+)\"");
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(MSPROBE_SOURCE_DIR "/src/inputs")) {
    const std::string name = file.path().filename();
    if (file.path().extension() != ".cpp" || !(name.starts_with("valid_") || name == "conversions.cpp")) continue;
    ++files;
    const std::string text = support::content(file.path());
    for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
      const std::string arguments = (*at)[1];
      for (std::sregex_iterator w(arguments.begin(), arguments.end(), word); w != end; ++w) asked.insert((*w)[1]);
    }
  }
  for (const Side& side : kSides) listed.insert(side.parameters.begin(), side.parameters.end());
  EXPECT_GE(files, 5);
  EXPECT_EQ(asked, listed);
}

TEST(SideParameters, AreMissedWhereAnApiHasNone) {
  const support::TempFolder folder;
  const FactTable wrong = config::load_api_facts(folder.write("wrong.yaml", R"(
Tensor.argsort: {values: {input: sorted by sorter}}
Tensor.put: {values: {index: distinct unless accumulated}}
npu_grouped_matmul: {parameters: "x, weight, *, group_list=None, list_type=0", values: {group_list: groups}}
)"));
  EXPECT_THAT(unbound_sides(wrong), ElementsAre("NPU.npu_grouped_matmul: groups asks for group_list_type",
                                                "Tensor.argsort: sorted by sorter asks for sorter"));
}

}  // namespace
}  // namespace msprobe::signatures
