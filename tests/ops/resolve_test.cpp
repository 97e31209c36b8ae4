// From a recorded name to the ways of calling it, and what --list says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/functional_inplace.h"
#include "ops/registry.h"
#include "signatures/python_names.h"

namespace msprobe::ops {
namespace {

using namespace signatures;

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> ways(const std::string& api) {
  std::vector<std::string> all;
  for (const auto& candidate : candidates(dump::parse_api_name(api + ".0"), {})) all.push_back(candidate.how);
  return all;
}

TEST(CandidatesTest, TorchNamesMayHaveLostTheirNamespace) {
  EXPECT_THAT(ways("Torch.add"), ElementsAre("aten::add"));
  EXPECT_THAT(ways("Torch.cross"), ElementsAre("aten::cross", "aten::linalg_cross"));
  EXPECT_THAT(ways("Torch.vector_norm"), ElementsAre("aten::linalg_vector_norm"));
  EXPECT_THAT(ways("Torch.logit"), ElementsAre("aten::logit", "aten::special_logit"));
  EXPECT_THAT(ways("Torch.bessel_j0"), ElementsAre("aten::special_bessel_j0"));
  EXPECT_THAT(ways("Torch.rfft"), ElementsAre("aten::fft_rfft"));
}

TEST(CandidatesTest, DotsAreUnderscores) {
  EXPECT_THAT(ways("Torch.linalg.qr"), ElementsAre("aten::linalg_qr"));
  EXPECT_THAT(ways("Torch.fft.ifft2"), ElementsAre("aten::fft_ifft2"));
  EXPECT_THAT(ways("Torch.special.entr"), ElementsAre("aten::special_entr"));
}

TEST(CandidatesTest, NamespacesOfOtherTypesAreFolded) {
  EXPECT_EQ(ways("Torch.nn.functional.linear"), ways("Functional.linear"));
  EXPECT_EQ(ways("Torch.nn.functional.cross_entropy"), ways("Functional.cross_entropy"));
  EXPECT_THAT(ways("Torch._C._nn.gelu"), ElementsAre("aten::gelu"));
  EXPECT_THAT(ways("Torch._C._linalg.linalg_det"), ElementsAre("aten::linalg_det"));
  EXPECT_THAT(ways("Torch.ops.aten.mm.default"), ElementsAre("aten::mm"));
  EXPECT_THAT(ways("VF.lstm"), ElementsAre("aten::lstm"));
}

TEST(CandidatesTest, AdaptorsComeFirstAndFurtherOnesNext) {
  EXPECT_THAT(ways("Tensor.__getitem__"), ElementsAre("adaptor __getitem__", "adaptor __getitem__#list"));
  EXPECT_THAT(ways("Torch.norm"), ElementsAre("adaptor norm", "aten::norm", "aten::linalg_norm"));
}

TEST(CandidatesTest, NothingOfThatNameIsEmpty) {
  EXPECT_TRUE(ways("Torch.no_such_function").empty());
  EXPECT_TRUE(ways("Distributed.all_reduce").empty());
}

TEST(PythonNamesTest, EveryDunderHasItsOperator) {
  struct Row {
    const char* name;
    const char* how;
  };
  const Row rows[] = {
      {"__add__", "aten::add"},
      {"__radd__", "aten::add"},
      {"__iadd__", "aten::add_"},
      {"__isub__", "aten::sub_"},
      {"__truediv__", "aten::div"},
      {"__idiv__", "aten::div_"},
      {"__floordiv__", "aten::floor_divide"},
      {"__ifloordiv__", "aten::floor_divide_"},
      {"__mod__", "aten::remainder"},
      {"__ipow__", "aten::pow_"},
      {"__iand__", "aten::__iand__"},
      {"__rxor__", "aten::bitwise_xor"},
      {"__rsub__", "aten::rsub"},
      {"__rmatmul__", "aten::matmul"},
      {"__rrshift__", "aten::bitwise_right_shift"},
      {"__ne__", "aten::ne"},
      {"__abs__", "aten::abs"},
      {"__invert__", "aten::bitwise_not"},
  };
  for (const auto& row : rows) {
    const auto all = ways("Tensor." + std::string(row.name));
    ASSERT_FALSE(all.empty()) << row.name;
    EXPECT_EQ(all.back(), row.how) << row.name;
  }
  EXPECT_EQ(find_dunder("__index__"), nullptr);
  EXPECT_EQ(find_dunder("add"), nullptr);
}

TEST(PythonNamesTest, InplaceIsReadByKeywordOrFromItsPlace) {
  const Value x = at::ones({1});
  std::optional<size_t> position;
  EXPECT_EQ(functional_inplace("relu", {{x}, {}}), std::nullopt);
  EXPECT_EQ(functional_inplace("relu", {{x}, {{"inplace", true}}}), true);
  EXPECT_EQ(functional_inplace("relu", {{x, false}, {}}, &position), false);
  EXPECT_EQ(position, 1u);
  EXPECT_EQ(functional_inplace("elu", {{x, 1.0, true}, {}}, &position), true);
  EXPECT_EQ(position, 2u);
  EXPECT_EQ(functional_inplace("hardtanh", {{x, -1, true}, {}}), std::nullopt);  // max_val
}

std::string described(const std::string& api, const Arguments& arguments) {
  return describe(dump::parse_api_name(api + ".0"), arguments);
}

TEST(DescribeTest, NamesTheOverloadWithoutRunningIt) {
  const Value meta = at::empty({2, 3}, at::kMeta);
  const Value zero_dim = at::empty({}, at::TensorOptions(at::kMeta).dtype(at::kLong));
  EXPECT_EQ(described("Torch.add", {{meta, 2}, {}}), "aten::add.Tensor");
  EXPECT_EQ(described("Torch.sum", {{meta, zero_dim}, {}}), "aten::sum.dim_IntList");
  EXPECT_EQ(described("Tensor.__rpow__", {{meta, 2}, {}}), "aten::pow.Scalar");
  EXPECT_EQ(described("Aten.add.out", {{meta, meta}, {{"out", meta}}}), "aten::add.out");
}

TEST(DescribeTest, AdaptorsNameTheirFirstOperator) {
  const Value meta = at::empty({2, 3}, at::kMeta),
              target = at::empty({2}, at::TensorOptions(at::kMeta).dtype(at::kLong));
  EXPECT_EQ(described("Functional.cross_entropy", {{meta, target}, {}}),
            "adaptor: cross_entropy -> aten::cross_entropy_loss");
}

TEST(DescribeTest, SaysWhyNothingBinds) {
  try {
    described("Torch.mv", {{at::empty({2, 3}, at::kMeta)}, {}});
    FAIL();
  } catch (const NoMatch& e) {
    EXPECT_STREQ(e.what(),
                 "Torch.mv(Tensor float32[2, 3]) fits no signature; mv(Tensor input, Tensor vec, *, Tensor out=None): "
                 "vec is missing");
  }
  EXPECT_THROW(described("Torch.no_such_function", {}), NoMatch);
}

TEST(CandidatesTest, ErrorsOfAdaptorsNameTheApiWithItsType) {
  const auto message = [](const char* name, const Arguments& arguments) -> std::string {
    try {
      candidates(dump::parse_api_name(std::string(name) + ".0"), arguments).at(0).call(arguments);
    } catch (const NoMatch& e) {
      return e.what();
    }
    return "no NoMatch";
  };
  const Value x = at::ones({2, 3});
  EXPECT_EQ(message("Functional.grouped_mm", {{x}, {}}), "Functional.grouped_mm: mat_b is missing");
  EXPECT_EQ(message("Functional.mse_loss", {{x}, {}}), "Functional.mse_loss: target is missing");
  EXPECT_EQ(message("Functional.softsign", {{x, 1, 2}, {}}),
            "Functional.softsign(input) takes 1 arguments by position, got 3");
  EXPECT_EQ(
      message("Functional.triplet_margin_with_distance_loss", {{x, x, x}, {{"distance_function", inputs::Opaque{}}}}),
      "Functional.triplet_margin_with_distance_loss: distance_function is not recorded");
  EXPECT_EQ(message("Torch.unique", {{}, {}}), "Torch.unique: input is missing");
  EXPECT_EQ(message("Tensor.type", {{}, {}}), "Tensor.type: self is missing");
}

}  // namespace
}  // namespace msprobe::ops
