// Rows that an operator leaves unwritten: which argument tells them, and how.
#include "goldens/user/written_rows.h"

#include "goldens/support.h"

namespace msprobe::goldens {
namespace {

using inputs::Arguments;
using ops::Value;

ValidRows rule(ValidRows::Count count) {
  ValidRows r;
  r.argument = "group_list";
  r.count = count;
  r.list_type = "group_list_type";
  r.unless["group_type"] = {2};
  r.users = true;
  return r;
}

const std::string kParameters = "x, group_list, group_type=0, *, group_list_type=0";

std::optional<WrittenRows> rows_of(const ValidRows& rule, const std::string& parameters, const Arguments& arguments) {
  const dump::ApiName api = dump::parse_api_name("NPU.npu_rows_of_nobody.0");
  return written_rows(rule, {api, parameters, arguments}, nullptr);
}

Value one_and_three() {
  return at::tensor({1, 3}, at::kLong);
}

TEST(WrittenRowsTest, EndsGiveTheLastCountsTheSum) {
  const Arguments call{{at::ones({4}), one_and_three()}, {}};
  EXPECT_EQ(rows_of(rule(ValidRows::Count::kEnds), kParameters, call)->rows, 3);
  EXPECT_EQ(rows_of(rule(ValidRows::Count::kCounts), kParameters, call)->rows, 4);
}

TEST(WrittenRowsTest, AnArgumentMaySayWhichItIs) {
  const auto rows = [](int type, const at::Tensor& numbers) {
    return rows_of(rule(ValidRows::Count::kByArgument), kParameters,
                   {{}, {{"group_list", numbers}, {"group_list_type", type}}});
  };
  const at::Tensor pairs = at::tensor({5, 1, 7, 3}, at::kLong).reshape({2, 2});  // (group, rows)
  EXPECT_EQ(rows(0, at::tensor({1, 3}, at::kLong))->rows, 3);
  EXPECT_EQ(rows(1, at::tensor({1, 3}, at::kLong))->rows, 4);
  EXPECT_EQ(rows(2, pairs)->rows, 4);
  EXPECT_FALSE(rows(0, pairs).has_value());
  EXPECT_FALSE(rows(0, at::tensor({1, -3}, at::kLong)).has_value());
}

TEST(WrittenRowsTest, AValueOfUnlessMeansThatAllAreWritten) {
  const auto call = [](int group_type) { return Arguments{{at::ones({4}), one_and_three(), group_type}, {}}; };
  EXPECT_FALSE(rows_of(rule(ValidRows::Count::kEnds), kParameters, call(2)).has_value());
  EXPECT_TRUE(rows_of(rule(ValidRows::Count::kEnds), kParameters, call(1)).has_value());
}

TEST(WrittenRowsTest, ThePositionIsTheRulesElseTheParameters) {
  ValidRows r = rule(ValidRows::Count::kEnds);
  const Arguments call{{one_and_three(), at::tensor({7}, at::kLong)}, {}};
  EXPECT_EQ(rows_of(r, kParameters, call)->rows, 7);
  EXPECT_FALSE(rows_of(r, "", call).has_value());
  r.position = 0;
  EXPECT_EQ(rows_of(r, kParameters, call)->rows, 3);
}

TEST(WrittenRowsTest, WhatACallLacksOfAUsersRuleIsTold) {
  Folder folder;
  Registry goldens;
  goldens.add(read_configuration(folder.write(
      "f.yaml", "output_valid_rows:\n  npu_rows_of_mine: {argument: group_lst, list_type: kind_of_list}\n")));
  const dump::ApiName name = dump::parse_api_name("NPU.npu_rows_of_mine.0");
  std::string note;
  EXPECT_FALSE(goldens.written_rows(name, {{at::ones({2})}, {}}, &note).has_value());
  EXPECT_EQ(note, "output_valid_rows: the call has no argument group_lst, all rows are judged");
  note.clear();
  EXPECT_EQ(goldens.written_rows(name, {{}, {{"group_lst", at::tensor({1, 3}, at::kLong)}}}, &note)->rows, 3);
  EXPECT_EQ(note, "output_valid_rows: the call has no argument kind_of_list, taken as 0: running ends");
}

}  // namespace
}  // namespace msprobe::goldens
