// What a file like config/signatures.yaml may say, and how it is told what it may not.
#include "config/api_facts.h"

#include <gtest/gtest.h>

#include "support/error_of.h"
#include "support/temp_folder.h"

namespace msprobe::config {
namespace {

/// The message of reading `text`, without the folder.
std::string complaint(const std::string& text) {
  const support::TempFolder folder;
  const std::string path = folder.write("own.yaml", text);
  std::string message = support::error_of([&] { load_api_facts(path); });
  const std::string prefix = folder.string() + "/";
  for (size_t at; (at = message.find(prefix)) != std::string::npos;) message.erase(at, prefix.size());
  return message;
}

constexpr const char* kGrouped =
    "npu_x: {parameters: \"x, *, group_list=None, group_type=None, group_list_type=0\", written_rows: ";

std::string lacks(const std::string& parameter) {
  return "own.yaml:1: npu_x: its parameters have no " + parameter + "; correct the name, or add it to `parameters`";
}

TEST(ApiFactsTest, WrittenRowsAreRead) {
  const support::TempFolder folder;
  const FactTable table = load_api_facts(folder.write(
      "own.yaml", std::string(kGrouped) +
                      "{argument: group_list, list_type: group_list_type, unless: {group_type: [2, 0]}}}\n"
                      "npu_y: {parameters: \"x, group_list\", written_rows: {argument: group_list, list_type: ends}}\n"
                      "npu_z: {written_rows: {argument: rows, list_type: kind, unless: {mode: [1]}}}\n"));
  const RowsWritten x{"group_list", "group_list_type", {{"group_type", {2, 0}}}}, y{"group_list", "ends", {}},
      z{"rows", "kind", {{"mode", {1}}}};  // lists no parameters: the schemas have them
  EXPECT_EQ(table.find("npu_x")->written_rows, x);
  EXPECT_EQ(table.find("npu_y")->written_rows, y);
  EXPECT_EQ(table.find("npu_z")->written_rows, z);
}

TEST(ApiFactsTest, DropoutsChangesAndFlagsOfLowPrecisionAreRead) {
  const support::TempFolder folder;
  const FactTable table =
      load_api_facts(folder.write("own.yaml",
                                  "a: {dropout: {probability: p, training: train}}\n"
                                  "b: {dropout: {probability: p, training: training, by_default: false}}\n"
                                  "c: {changes: weight, in_float64: {half_to_float: not set, out_dtype: left out}}\n"
                                  "d: {changes: [running_mean, running_var]}\n"));
  EXPECT_EQ(table.find("a")->dropout, (Dropout{"p", "train", true}));
  EXPECT_EQ(table.find("b")->dropout, (Dropout{"p", "training", false}));
  EXPECT_EQ(table.find("c")->changes, std::vector<std::string>{"weight"});
  const std::vector<std::pair<std::string, InFloat64>> flags = {{"half_to_float", InFloat64::kNotSet},
                                                                {"out_dtype", InFloat64::kLeftOut}};
  EXPECT_EQ(table.find("c")->in_float64, flags);
  EXPECT_EQ(table.find("d")->changes, (std::vector<std::string>{"running_mean", "running_var"}));
  EXPECT_EQ(complaint("x: {dropout: {training: train}}"),
            "own.yaml:1: dropout: found no probability, expected the parameter's name");
}

TEST(ApiFactsTest, ParametersThatTheEntryDoesNotListAreRefused) {
  const struct {
    const char *fact, *missing;
  } cases[] = {
      {"values: {indces: distinct}", "indces"},
      {"index_output: {output: 0, dim: dimm}", "dimm"},
      {"index_output: {output: 0, dim: dim, inverse: invers}", "invers"},
      {"random: {above_zero: droput}", "droput"},
      {"dtype_default: {epsilon: eps}", "epsilon"},
      {"callable: function", "function"},
      {"dropout: {probability: prob}", "prob"},
      {"dropout: {probability: p, training: train}", "train"},
      {"changes: [input, weight]", "weight"},
      {"in_float64: {out_dtype: left out}", "out_dtype"},
      {"written_rows: {argument: grop_list, list_type: counts}", "grop_list"},
      {"written_rows: {argument: indices, list_type: group_type}", "group_type"},
      {"written_rows: {argument: indices, list_type: count}", "count"},
      {"written_rows: {argument: indices, list_type: ends, unless: {grup_type: [2]}}", "grup_type"},
      {"written_rows: {argument: indices, list_type: ends, unless: {dim: [2], mode: [1]}}", "mode"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(
        complaint(std::string("npu_x: {parameters: \"input, indices, *, dim=None, eps=0, p=1\", ") + c.fact + "}"),
        lacks(c.missing))
        << c.fact;
}

TEST(ApiFactsTest, UnknownWordsNameTheNearest) {
  const struct {
    const char *text, *message;
  } cases[] = {
      {"x: {randm: always}", "own.yaml:1: unknown key randm, did you mean random?"},
      {"x: {random: {above_zro: p}}", "own.yaml:1: unknown condition above_zro, did you mean above_zero?"},
      {"x:\n  written_rows: {argument: n, unles: {mode: [1]}}", "own.yaml:2: unknown key unles, did you mean unless?"},
      {"x: {index_output: {without_dim: lst}}", "own.yaml:1: unknown without_dim lst, did you mean last?"},
      {"x: {dropout: {probability: p, trainin: t}}", "own.yaml:1: unknown key trainin, did you mean training?"},
      {"x: {in_float64: {out_dtype: left-out}}", "own.yaml:1: unknown out_dtype left-out, did you mean left out?"},
      {"x: {dtype_default: {eps: epss}}", "own.yaml:1: unknown rule for a default epss, did you mean eps?"},
  };
  for (const auto& c : cases) EXPECT_EQ(complaint(c.text), c.message) << c.text;
}

// A lone number is a list of one, as in a user's own file; it is not passed over.
TEST(ApiFactsTest, ValuesWithWhichAllRowsAreWrittenAreIntegers) {
  const support::TempFolder folder;
  const auto table = load_api_facts(folder.write("own.yaml", "x: {written_rows: {argument: n, unless: {mode: 2}}}"));
  EXPECT_EQ(table.find("x")->written_rows, (RowsWritten{"n", "", {{"mode", {2}}}}));
  EXPECT_EQ(complaint("x: {written_rows: {argument: n, unless: {mode: all}}}"),
            "own.yaml:1: mode: found the text \"all\", expected a whole number, -9223372036854775808 or more");
  EXPECT_EQ(complaint("x: {written_rows: {argument: n, unless: {mode: [1, all]}}}"),
            "own.yaml:1: mode: found the text \"all\", expected a whole number, -9223372036854775808 or more");
}

}  // namespace
}  // namespace msprobe::config
