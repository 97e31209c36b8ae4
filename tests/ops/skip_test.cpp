// Which APIs are not run, with the lists of config/precision_standard.yaml.
#include "ops/skip.h"

#include <gtest/gtest.h>

#include "ops/registry.h"

namespace msprobe::ops {
namespace {

const config::Standards& standards() {
  static const auto loaded = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  return loaded;
}

dump::ApiName name_of(const std::string& api) {
  return dump::parse_api_name(api + ".0");
}

std::string by_name(const std::string& api, const config::Settings& settings = {}) {
  return skip_by_name(name_of(api), {settings.white_list, settings.black_list}, standards()).value_or("runs");
}

std::string by_arguments(const std::string& api, const Arguments& arguments) {
  return skip_by_arguments(name_of(api), arguments, standards()).value_or("runs");
}

TEST(SkipByNameTest, OtherProcessesAndMalformedNames) {
  EXPECT_EQ(by_name("Distributed.all_reduce"),
            "Distributed APIs take part in more than one process and are not replayed");
  EXPECT_EQ(by_name("MindSpeed.attention"), "MindSpeed APIs take part in more than one process and are not replayed");
  EXPECT_EQ(by_name("relu"), "its name is not of the form Type.name.number with three or four parts");
  EXPECT_EQ(by_name("Torch.add"), "runs");
}

TEST(SkipByNameTest, MovesAndAllocations) {
  for (const char* api :
       {"Tensor.to", "Torch.empty", "Torch.empty_like", "Tensor.new_empty", "Tensor.new_empty_strided",
        "Torch.empty_strided", "Aten.empty.memory_format", "Aten.to.dtype"}) {
    const std::string name = std::string(api).substr(std::string(api).find('.') + 1);
    EXPECT_EQ(by_name(api), name + " moves, converts or allocates only: there is nothing to compare") << api;
  }
}

TEST(SkipByNameTest, RandomByNatureButNotDropout) {
  for (const char* api :
       {"Torch.randn", "Torch.rand_like", "Tensor.normal_", "Tensor.bernoulli_", "Torch.bernoulli", "Torch.multinomial",
        "Functional.gumbel_softmax", "Aten.bernoulli.p", "Aten.randperm.generator"}) {
    EXPECT_EQ(by_name(api), "its output is random or uninitialised by nature") << api;
  }
  for (const char* api :
       {"Functional.dropout", "Functional.dropout2d", "Torch.dropout", "VF.lstm", "Functional.rrelu"}) {
    EXPECT_EQ(by_name(api), "runs") << api;
  }
}

TEST(SkipByNameTest, RemovedAndUnrecorded) {
  EXPECT_EQ(by_name("Torch.symeig"), "Torch.symeig was removed from PyTorch");
  EXPECT_EQ(by_name("Tensor.solve"), "Tensor.solve was removed from PyTorch");
  EXPECT_EQ(by_name("Torch.solve"), "runs");  // torch.linalg.solve
  EXPECT_EQ(by_name("Torch.linalg.eig"), "runs");
  EXPECT_EQ(by_name("Tensor.map_"), "the Python function it was given is not recorded");
  EXPECT_EQ(by_name("Tensor.align_to"), "names of dimensions are not recorded");
}

TEST(SkipByNameTest, WhiteMinusBlackRuns) {
  config::Settings settings;
  settings.white_list = {"conv2d", "Torch.add", "linalg.norm"};
  EXPECT_EQ(by_name("Functional.conv2d", settings), "runs");
  EXPECT_EQ(by_name("Torch.conv2d", settings), "runs");
  EXPECT_EQ(by_name("Torch.add", settings), "runs");
  EXPECT_EQ(by_name("Tensor.add", settings), "not on the white list");
  EXPECT_EQ(by_name("Torch.linalg.norm", settings), "runs");
  settings.black_list = {"Functional.conv2d"};
  EXPECT_EQ(by_name("Functional.conv2d", settings), "on the black list");
  EXPECT_EQ(by_name("Torch.conv2d", settings), "runs");
  settings.white_list = {};
  EXPECT_EQ(by_name("Tensor.add", settings), "runs");
}

TEST(SkipByNameTest, EveryListTakesBareAndQualifiedNames) {
  const std::pair<const char*, bool> entries[] = {{"an_api", true}, {"Torch.an_api", true}, {"Tensor.an_api", false}};
  const config::ApiList none;
  for (const auto& [entry, listed] : entries) {
    const config::ApiList list = {entry};
    const auto skipped = [&](const NameLists& lists, const config::Standards& standards) {
      return skip_by_name(name_of("Torch.an_api"), lists, standards).has_value();
    };
    EXPECT_EQ(skipped({none, list}, standards()), listed) << "black " << entry;
    EXPECT_EQ(skipped({list, none}, standards()), !listed) << "white " << entry;
    for (config::ApiList config::Standards::*member :
         {&config::Standards::skip_apis, &config::Standards::random_apis, &config::Standards::removed_apis}) {
      config::Standards own = standards();
      own.*member = list;
      EXPECT_EQ(skipped({none, none}, own), listed) << entry;
    }
    config::Standards own = standards();
    own.unsupported.add(entry, "why");
    EXPECT_EQ(skipped({none, none}, own), listed) << entry;
  }
}

TEST(SkipByArgumentsTest, EveryListTakesBareAndQualifiedNames) {
  const std::tuple<config::ApiMap<std::string> config::Standards::*, const char*, double> lists[] = {
      {&config::Standards::random_by_argument, "alpha", 1},
      {&config::Standards::random_below_one, "alpha", 0.5},
      {&config::Standards::random_without_argument, "alpha", 1}};
  for (const auto& [entry, listed] :
       {std::pair("add", true), std::pair("Torch.add", true), std::pair("Tensor.add", false)})
    for (const auto& [member, parameter, value] : lists) {
      config::Standards own = standards();
      (own.*member).add(entry, parameter);
      Arguments arguments{{at::ones({1}), at::ones({1})}, {}};
      if (member != &config::Standards::random_without_argument) arguments.kwargs = {{parameter, value}};
      EXPECT_EQ(skip_by_arguments(name_of("Torch.add"), arguments, own).has_value(), listed) << entry;
    }
}

TEST(SkipByArgumentsTest, RandomOnlyWithThem) {
  const Value x = at::ones({1, 2, 4, 4});
  const std::string random_p = "its output is random with dropout_p=0.1";
  EXPECT_EQ(by_arguments("Functional.scaled_dot_product_attention", {{x, x, x}, {}}), "runs");
  EXPECT_EQ(by_arguments("Functional.scaled_dot_product_attention", {{x, x, x}, {{"dropout_p", 0.0}}}), "runs");
  EXPECT_EQ(by_arguments("Functional.scaled_dot_product_attention", {{x, x, x}, {{"dropout_p", 0.1}}}), random_p);
  EXPECT_EQ(by_arguments("Functional.scaled_dot_product_attention", {{x, x, x, inputs::None{}, 0.1}, {}}), random_p);
  EXPECT_EQ(by_arguments("Functional.rrelu", {{x}, {}}), "runs");
  EXPECT_EQ(by_arguments("Functional.rrelu", {{x, 0.1, 0.3, true}, {}}), "its output is random with training=true");
  EXPECT_EQ(by_arguments("Torch.rrelu", {{x, 0.1, 0.3, true}, {}}), "its output is random with training=true");
  EXPECT_EQ(by_arguments("Functional.alpha_dropout", {{x, 0.5, true}, {}}), "its output is random with training=true");
  EXPECT_EQ(by_arguments("Torch.alpha_dropout", {{x, 0.5, true}, {}}), "its output is random with train=true");
  EXPECT_EQ(by_arguments("Torch.alpha_dropout", {{x, 0.5, false}, {}}), "runs");
  EXPECT_EQ(by_arguments("Torch.alpha_dropout", {{x, 0.0, true}, {}}), "runs");  // nothing is drawn
  EXPECT_EQ(by_arguments("Torch.alpha_dropout_", {{x, 1.0, true}, {}}), "runs");
  EXPECT_EQ(skip_by_arguments(name_of("Torch.alpha_dropout"), {{x, 0.0, true}, {}}, standards(), /*by_value=*/false),
            "its output is random with train=true");
  EXPECT_EQ(by_arguments("Functional.dropout", {{x, 0.5, true}, {}}), "runs");
}

TEST(SkipByArgumentsTest, RecurrentLayersDropInTrainingAlone) {
  const Value input = at::zeros({3, 1, 2}), h = at::zeros({1, 1, 2});
  const inputs::List state{{h, h}}, weights{{at::zeros({8, 2}), at::zeros({8, 2}), at::zeros({8}), at::zeros({8})}};
  const auto lstm = [&](double dropout, bool train) {
    return by_arguments("VF.lstm", {{input, state, weights, true, 1, dropout, train, false, false}, {}});
  };
  EXPECT_EQ(lstm(0.5, true), "its output is random with dropout=0.5");
  EXPECT_EQ(lstm(0.5, false), "runs");
  EXPECT_EQ(lstm(0.0, true), "runs");
  // Packed sequences: one more parameter before the rest.
  const Value sizes = at::ones({3}, at::kLong);
  const Arguments packed{{input, sizes, state, weights, true, 1, 0.0, true, false}, {}};
  EXPECT_EQ(by_arguments("VF.lstm", packed), "runs");
}

TEST(SkipByArgumentsTest, AttentionOfTransformersDropsInTrainingAlone) {
  const Value x = at::ones({1}), none = inputs::None{};
  const auto attention = [&](bool training) {
    return by_arguments("Functional.multi_head_attention_forward",
                        {{x, x, x, 4, 2, x, x, none, none, false, 0.1, x, x}, {{"training", training}}});
  };
  EXPECT_EQ(attention(true), "its output is random with dropout_p=0.1");
  EXPECT_EQ(attention(false), "runs");
}

TEST(SkipByArgumentsTest, RandomWithoutSamples) {
  const Value x = at::ones({1, 1, 4, 4}), samples = at::ones({1, 1, 2});
  EXPECT_EQ(by_arguments("Functional.fractional_max_pool2d", {{x, 2, 2}, {}}),
            "its output is random without _random_samples");
  EXPECT_EQ(by_arguments("Functional.fractional_max_pool2d", {{x, 2, 2}, {{"_random_samples", samples}}}), "runs");
  EXPECT_EQ(by_arguments("Aten.fractional_max_pool2d", {{x, 2, 2, samples}, {}}), "runs");
}

TEST(SkipByArgumentsTest, FusedAttentionThatKeepsAll) {
  const Value x = at::ones({1});
  EXPECT_EQ(by_arguments("NPU.npu_fusion_attention", {{x, x, x, 2, "BNSD"}, {{"keep_prob", 0.9}}}),
            "its output is random with keep_prob=0.9");
  EXPECT_EQ(by_arguments("NPU.npu_fusion_attention", {{x, x, x, 2, "BNSD"}, {{"keep_prob", 1.0}}}), "runs");
  EXPECT_EQ(by_arguments("NPU.npu_fused_attention_score", {{x, x, x, x, 1.0, 0.9}, {}}),
            "its output is random with keep_prob=0.9");
}

TEST(SkipByArgumentsTest, SparseLayouts) {
  const auto sparse = at::ones({2, 2}).to_sparse();
  EXPECT_EQ(by_arguments("Torch.add", {{at::ones({2, 2}), sparse}, {}}),
            "input 1 has a sparse layout, whose indices are not recorded");
  EXPECT_EQ(by_arguments("Torch.zeros", {{2}, {{"layout", at::Layout(at::kSparse)}}}),
            "layout has a sparse layout, whose indices are not recorded");
}

TEST(InplaceTest, IsReadFromNameAndArguments) {
  const Value x = at::ones({1});
  struct Row {
    const char* api;
    Arguments arguments;
    bool inplace;
  };
  const Row rows[] = {
      {"Tensor.add_", {{x, 1}, {}}, true},
      {"Tensor.add", {{x, 1}, {}}, false},
      {"Tensor.__iadd__", {{x, 1}, {}}, true},
      {"Tensor.__iand__", {{x, 1}, {}}, true},
      {"Tensor.__invert__", {{x}, {}}, false},
      {"Tensor.__index__", {{x}, {}}, false},
      {"Tensor.__add__", {{x, 1}, {}}, false},
      {"Tensor.__setitem__", {{x, 0, 1}, {}}, true},
      {"Aten.add_.Tensor", {{x, x}, {}}, true},
      {"Aten.add.Tensor", {{x, x}, {}}, false},
      {"Functional.relu", {{x}, {{"inplace", true}}}, true},
      {"Functional.relu", {{x}, {{"inplace", false}}}, false},
      {"Functional.relu", {{x, true}, {}}, true},
      {"Functional.dropout", {{x, 0.5, true, true}, {}}, true},
      {"Functional.dropout", {{x, 0.5, true}, {}}, false},
      {"Functional.relu_", {{x}, {}}, true},
      {"Torch.nn.functional.relu", {{x, true}, {}}, true},
  };
  for (const auto& row : rows) EXPECT_EQ(is_inplace(name_of(row.api), row.arguments), row.inplace) << row.api;
}

TEST(DropoutTest, IsAnythingWithDropoutInItsName) {
  EXPECT_TRUE(is_dropout(name_of("Functional.feature_alpha_dropout")));
  EXPECT_TRUE(is_dropout(name_of("Torch.dropout_")));
  EXPECT_FALSE(is_dropout(name_of("Torch.rand")));
}

}  // namespace
}  // namespace msprobe::ops
