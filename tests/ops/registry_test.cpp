// aten(), PythonCall and table rows: what adaptors are written against.
#include "ops/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace msprobe::ops {
namespace {

using inputs::List;
using inputs::None;
using testing::HasSubstr;

at::Tensor doubles(std::vector<double> values) {
  return at::tensor(values, at::kDouble);
}

TEST(AtenTest, CallsTheFirstOverloadThatBinds) {
  EXPECT_TRUE(at::equal(aten_t("add", {doubles({1, 2}), doubles({3, 4})}), doubles({4, 6})));
  EXPECT_EQ(last_operators().substr(last_operators().rfind("aten::")), "aten::add.Tensor");
}

TEST(AtenTest, TakesKeywords) {
  EXPECT_TRUE(at::equal(aten_t("div", {doubles({7, -7}), 2}, {{"rounding_mode", "floor"}}), doubles({3, -4})));
}

TEST(AtenTest, GivesSeveralResultsAsAList) {
  const Value result = aten("max", {doubles({1, 5, 2}), 0});
  ASSERT_TRUE(result.is<List>());
  ASSERT_EQ(result.get<List>().items.size(), 2u);
  EXPECT_EQ(result.get<List>().items[0].get<at::Tensor>().item().toDouble(), 5);
  EXPECT_EQ(result.get<List>().items[1].get<at::Tensor>().item().toLong(), 1);
}

TEST(AtenTest, OneResultThatIsNoTensorIsALogicError) {
  EXPECT_THROW(aten_t("max", {doubles({1, 5, 2}), 0}), std::logic_error);
}

TEST(AtenTest, OverloadIsTakenByName) {
  const auto x = at::arange(4, at::kDouble).view({1, 1, 4});
  const Value y = aten_overload("upsample_nearest1d", "vec", {x, List{{8}}, None{}});
  EXPECT_TRUE(at::equal(y.get<at::Tensor>().flatten(), doubles({0, 0, 1, 1, 2, 2, 3, 3})));
}

TEST(AtenTest, UnknownOverloadIsNamed) {
  try {
    aten_overload("add", "Tensors", {doubles({1}), doubles({1})});
    FAIL();
  } catch (const NoMatch& e) {
    EXPECT_STREQ(
        e.what(),
        "aten::add.Tensors(Tensor float64[1], Tensor float64[1]) fits no signature; it has no overload Tensors");
  }
}

TEST(AtenTest, KnowsWhichOperatorsExist) {
  EXPECT_TRUE(exists("conv2d"));
  EXPECT_TRUE(exists("aten::conv2d"));
  EXPECT_FALSE(exists("symeig_of_long_ago"));
}

TEST(PythonCallTest, FillsByPositionKeywordAndDefault) {
  const Arguments arguments{{doubles({1}), 0.25}, {{"size", List{{2, 3}}}}};
  const PythonCall call("Functional.f",
                        "input, p=0.5, training=True, reduction='mean', *, stride=None, eps=1e-05, size=[]", arguments);
  EXPECT_TRUE(at::equal(call.tensor("input"), doubles({1})));
  EXPECT_EQ(call.number("p"), 0.25);
  EXPECT_TRUE(call.boolean("training"));
  EXPECT_EQ(call.string("reduction"), "mean");
  EXPECT_FALSE(call.has("stride"));
  EXPECT_EQ(call.number("eps"), 1e-5);
  EXPECT_EQ(call.integers("size"), (std::vector<int64_t>{2, 3}));
}

TEST(PythonCallTest, RepeatsALoneInt) {
  const PythonCall call("Functional.f", "kernel_size", Arguments{{3}, {}});
  EXPECT_EQ(call.integers("kernel_size", 2), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(call.integers("kernel_size"), (std::vector<int64_t>{3}));
}

std::string message_of(std::string_view declaration, const Arguments& arguments) {
  try {
    PythonCall("Functional.f", declaration, arguments);
  } catch (const NoMatch& e) {
    return e.what();
  }
  return "bound";
}

TEST(PythonCallTest, NamesWhatDoesNotFit) {
  EXPECT_EQ(message_of("a, b", {{1}, {}}), "Functional.f: b is missing");
  EXPECT_EQ(message_of("a, b=2", {{1, 2, 3}, {}}), "Functional.f(a, b=2) takes 2 arguments by position, got 3");
  EXPECT_EQ(message_of("a, *, b=2", {{1, 2}, {}}), "Functional.f(a, *, b=2) takes 1 arguments by position, got 2");
  EXPECT_EQ(message_of("a", {{1}, {{"a", 1}}}), "Functional.f: a is given by position and by keyword");
  EXPECT_EQ(message_of("a", {{1}, {{"c", 1}}}), "Functional.f(a) has no argument of the name c");
  EXPECT_EQ(message_of("a, b=2", {{1}, {{"b", 1}}}), "bound");
}

TEST(PythonCallTest, WrongTypeIsQuoted) {
  const PythonCall call("Functional.f", "a", Arguments{{"two"}, {}});
  try {
    call.integer("a");
    FAIL();
  } catch (const NoMatch& e) {
    EXPECT_STREQ(e.what(), "Functional.f: a takes an integer, got str 'two'");
  }
}

TEST(RowTest, RenamesAndAddsArguments) {
  const auto* adaptor = find_adaptor("Functional.dropout");
  ASSERT_NE(adaptor, nullptr);
  const auto x = doubles({1, 2, 3});
  EXPECT_TRUE(at::equal((*adaptor)({{x, 0.5, false}, {}}).get<at::Tensor>(), x));
  EXPECT_TRUE(at::equal((*adaptor)({{x}, {{"p", 1}}}).get<at::Tensor>(), doubles({0, 0, 0})));
}

TEST(RowTest, InplaceByKeywordOrPositionChangesTheArgument) {
  for (const bool by_position : {false, true}) {
    const auto x = doubles({1, 2, 3});
    const Arguments arguments =
        by_position ? Arguments{{x, 1., true, true}, {}} : Arguments{{x, 1., true}, {{"inplace", true}}};
    (*find_adaptor("Functional.dropout"))(arguments);
    EXPECT_TRUE(at::equal(x, doubles({0, 0, 0})));
  }
}

TEST(RowTest, OldReductionArgumentsWin) {
  // soft_margin: log(1 + exp(-y x)) with x = 0 is log 2.
  const auto x = doubles({0, 0}), y = doubles({1, -1});
  const auto run = [&](std::vector<std::pair<std::string, Value>> kwargs) {
    return (*find_adaptor("Functional.soft_margin_loss"))({{x, y}, std::move(kwargs)}).get<at::Tensor>();
  };
  const double log2 = std::log(2.0);
  EXPECT_DOUBLE_EQ(run({}).item().toDouble(), log2);
  EXPECT_DOUBLE_EQ(run({{"reduction", "sum"}}).item().toDouble(), 2 * log2);
  EXPECT_DOUBLE_EQ(run({{"size_average", false}}).item().toDouble(), 2 * log2);
  EXPECT_EQ(run({{"reduce", false}}).dim(), 1);
  EXPECT_DOUBLE_EQ(run({{"reduce", true}, {"reduction", "sum"}}).item().toDouble(), log2);
}

}  // namespace
}  // namespace msprobe::ops
