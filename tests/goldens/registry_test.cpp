// The goldens of a run: users' among the built-in ones.
#include "goldens/registry.h"

#include "goldens/candidates.h"
#include "goldens/support.h"

namespace msprobe::goldens {
namespace {

constexpr const char* kAttention =
    "operators:\n"
    "  npu_fusion_attention:\n"
    "    source: |\n"
    "      def npu_fusion_attention(query: Tensor, key: Tensor, value: Tensor, head_num: int, input_layout: str) -> "
    "Tensor:\n"
    "          return torch.softmax(query @ key.transpose(-2, -1), -1) @ value\n";

TEST(RegistryTest, AUsersGoldenReplacesTheBuiltInOneAndTakesOverWhatIsJudged) {
  const dump::ApiName name = dump::parse_api_name("NPU.npu_fusion_attention.0");
  Folder folder;
  Registry goldens;
  EXPECT_EQ(goldens.find("npu_fusion_attention")->source, "built in");
  EXPECT_EQ(goldens.users_golden(name), nullptr);
  goldens.add(read_configuration(folder.write("f.yaml", kAttention)));
  const Golden* now = goldens.find("npu_fusion_attention");
  EXPECT_EQ(now->source, "TorchScript " + (folder / "f.yaml:4"));
  EXPECT_EQ(now->judged, 1u);
  EXPECT_EQ(goldens.users_golden(name), now);
  EXPECT_EQ(goldens.users_apis(), std::set<std::string>{"npu_fusion_attention"});
  at::Tensor q = wave({1, 1, 2, 4}, 0.1);
  expect_near(output(call(now, {q, q, q, 1, "BNSD"})),
              at::matmul(at::softmax(at::matmul(q, q.transpose(-2, -1)), -1), q));
}

TEST(RegistryTest, OneKnowsNothingOfAnother) {
  Folder folder;
  Registry goldens;
  goldens.add(read_configuration(folder.write("f.yaml", kAttention)));
  const Registry other;
  EXPECT_EQ(other.find("npu_fusion_attention")->source, "built in");
  EXPECT_TRUE(other.users_apis().empty());
  EXPECT_EQ(other.all().size(), built_in().size());
}

TEST(RegistryTest, WhatTheInstalledFileBringsIsNoUsersApi) {
  Folder folder;
  Registry goldens;
  goldens.add(read_configuration(folder.write("f.yaml", kAttention)), /*users=*/false);
  EXPECT_TRUE(goldens.users_apis().empty());
  EXPECT_EQ(goldens.find("npu_fusion_attention")->source, "TorchScript " + (folder / "f.yaml:4"));
}

TEST(RegistryTest, ALaterFileTakesARuleBack) {
  const dump::ApiName name = dump::parse_api_name("NPU.npu_grouped_matmul.0");
  const inputs::Arguments call{{}, {{"group_list", at::tensor({1, 3}, at::kLong)}, {"group_list_type", 0}}};
  Folder folder;
  Registry goldens;
  goldens.load("");  // the installed file's rule
  EXPECT_EQ(goldens.written_rows(name, call)->rows, 3);
  goldens.add(read_configuration(folder.write("f.yaml", "output_valid_rows: {npu_grouped_matmul: }\n")));
  EXPECT_FALSE(goldens.written_rows(name, call).has_value());
}

// Users write self= and x= where the schema says input, and the reverse.
TEST(RegistryTest, TheFirstArgumentGoesByAnyOfItsNames) {
  at::Tensor x = wave({3, 4}, 0.2);
  const at::Tensor expected = output(call_built_in("npu_mish", {x}));
  for (const char* first : {"input", "self", "x"})
    EXPECT_TRUE(at::equal(output(call_built_in("npu_mish", {}, {{first, x}})), expected)) << first;
}

}  // namespace
}  // namespace msprobe::goldens
