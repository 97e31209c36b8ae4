// fused_operators.yaml: what is read, and what is said of what cannot be.
#include "goldens/user/configuration.h"

#include "goldens/support.h"

namespace msprobe::goldens {
namespace {

Configuration read(const Folder& folder, const std::string& yaml) {
  return read_configuration(folder.write("f.yaml", yaml));
}

TEST(ConfigurationTest, KindFollowsFromTheSource) {
  Folder folder;
  folder.write("script.py", "import torch\n\ndef npu_a(x: Tensor) -> Tensor:\n    return x\n");
  folder.write("plain.py", "import torch\n\ndef helper(x):\n    return x\n\ndef npu_b(x):\n    return helper(x)\n");
  folder.write("numpy.py", "import numpy as np\n\ndef npu_c(x: 'Tensor'):\n    return x\n");
  folder.write("module.pt", "");
  folder.write("lib.so", "");
  folder.write("lib.so.2", "");
  const Configuration c = read(folder,
                               "operators:\n"
                               "  npu_a: {source: script.py}\n"
                               "  npu_b: {source: plain.py}\n"
                               "  npu_c: {source: numpy.py, description: annotated but not TorchScript}\n"
                               "  npu_d: {source: module.pt}\n"
                               "  npu_e: {source: lib.so, forward: other}\n"
                               "  npu_f: {source: lib.so.2}\n"
                               "  npu_g: {source: script.py, forward: npu_a, kind: python}\n"
                               "  NPU.npu_h:\n"
                               "    source: |\n"
                               "      # a comment\n"
                               "      def npu_h(x: Tensor) -> Tensor:\n"
                               "          return x\n"
                               "  Functional.gelu: {source: \"def gelu(x: Tensor): return x\"}\n");
  std::vector<std::string> got;
  for (const auto& op : c.operators) got.push_back(op.name + " " + op.forward + " " + op.source());
  const std::string f = folder / "";
  EXPECT_EQ(got, (std::vector<std::string>{
                     "npu_a npu_a TorchScript " + f + "script.py:3", "npu_b npu_b Python " + f + "plain.py:6",
                     "npu_c npu_c Python " + f + "numpy.py:3", "npu_d forward TorchScript module " + f + "module.pt",
                     "npu_e other library " + f + "lib.so", "npu_f npu_f library " + f + "lib.so.2",
                     "npu_g npu_a Python " + f + "script.py:3", "npu_h npu_h TorchScript " + f + "f.yaml:12",
                     "Functional.gelu gelu TorchScript " + f + "f.yaml:14"}));
}

TEST(ConfigurationTest, EntriesWithoutASourceAreThoseOfMindStudio) {
  Folder folder;
  folder.write("a.py", "def npu_swish(x):\n    return x\n\n\ndef npu_swish_backward(grad, x):\n    return grad\n");
  folder.write("b.py", "def npu_swish(x):\n    return 2 * x\n");
  const Configuration c = read(folder,
                               "operators:\n"
                               "  npu_swish:\n"
                               "    forward: npu_swish\n"
                               "    backward: npu_swish_backward\n"
                               "    description: \"Swish\"\n"
                               "  matmul_backward: {backward: npu_swish_backward}\n");
  ASSERT_EQ(c.operators.size(), 3u);
  // The last file wins, as it does where Python imports one after the other. Gradients are autograd's.
  EXPECT_EQ(c.operators[0].name + " " + c.operators[0].source() + c.operators[0].backward,
            "npu_swish Python " + (folder / "b.py:1"));
  EXPECT_EQ(c.operators[1].name + " " + c.operators[1].source(), "npu_swish_backward Python " + (folder / "a.py:5"));
  EXPECT_EQ(c.operators[2].name + " " + c.operators[2].source(), "npu_swish_backward Python " + (folder / "a.py:5"));
}

TEST(ConfigurationTest, TheInstalledFileIsRead) {
  const Configuration c = read_configuration(MSPROBE_CONFIG_DIR "/fused_operators.yaml");
  EXPECT_TRUE(c.operators.empty());
  EXPECT_TRUE(c.valid_rows.empty());
}

TEST(ConfigurationTest, RulesOfRowsAreRead) {
  Folder folder;
  const Configuration c =
      read(folder,
           "output_valid_rows:\n"
           "  npu_grouped_matmul: {argument: group_list, list_type: group_list_type, unless: {group_type: [2]}}\n"
           "  npu_dequant_swiglu_quant: {argument: group_index, list_type: counts}\n");
  ASSERT_EQ(c.valid_rows.size(), 2u);
  const ValidRows& matmul = c.valid_rows.at("npu_grouped_matmul");
  EXPECT_EQ(matmul.argument, "group_list");
  EXPECT_EQ(matmul.count, ValidRows::Count::kByArgument);
  EXPECT_EQ(matmul.list_type, "group_list_type");
  EXPECT_EQ(matmul.unless.at("group_type"), std::vector<int64_t>{2});
  const ValidRows& quant = c.valid_rows.at("npu_dequant_swiglu_quant");
  EXPECT_EQ(quant.argument, "group_index");
  EXPECT_EQ(quant.count, ValidRows::Count::kCounts);
}

struct Broken {
  const char *yaml, *message;  // "@" stands for the folder
};

class BrokenConfiguration : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenConfiguration, IsRefusedWithFileLineAndRemedy) {
  Folder folder;
  folder.write("plain.py", "def npu_a(x):\n    return x\n");
  folder.write("golden.txt", "x");
  folder.write("folder/x", "x");
  std::string want = GetParam().message;
  for (size_t at; (at = want.find('@')) != std::string::npos;) want.replace(at, 1, folder / "");
  EXPECT_EQ(error_of([&] { read(folder, GetParam().yaml); }), want);
}

constexpr const char* kSeeForm =
    "; write `operators: {npu_x: {source: golden.py}}`; docs/fused-operators.md shows each kind";

INSTANTIATE_TEST_SUITE_P(
    All, BrokenConfiguration,
    ::testing::Values(
        Broken{"operator: {}\n",
               "@f.yaml:1: operator: unknown key, did you mean operators?; known are operators, output_valid_rows"},
        Broken{
            "operators:\n  npu_a: {soruce: plain.py}\n",
            "@f.yaml:2: soruce: unknown key, did you mean source?; known are forward, backward, description, schema, "
            "source, kind"},
        Broken{"operators:\n  npu_a: {source: 3}\n",
               "@f.yaml:2: source: found the number 3, expected text; if that is meant as text, write \"3\""},
        Broken{"operators:\n  npu_a: {source: missing.py}\n",
               "@f.yaml:2: source: there is no file @missing.py; paths are relative to the yaml file; text of one line "
               "begins with \"def \""},
        Broken{"operators:\n  npu_a: {source: folder}\n",
               "@f.yaml:2: source: @folder is no regular file; name a .py, .pt or .so file"},
        Broken{
            "operators:\n  npu_a: {source: golden.txt}\n",
            "@f.yaml:2: source: golden.txt is none of .py, .pt and .so; rename it, or say kind: torchscript, module, "
            "python or library"},
        Broken{"operators:\n  npu_b: {source: plain.py}\n",
               "@f.yaml:2: source: @plain.py defines no function npu_b, did you mean npu_a?; name the function with "
               "forward"},
        Broken{"operators:\n  npu_a:\n    source: plain.py\n    backward: npu_a_grad\n",
               "@f.yaml:4: backward: @plain.py defines no function npu_a_grad; name the function with forward"},
        Broken{
            "operators:\n  npu_x:\n    forward: npu_aa\n",
            "@f.yaml:3: forward: no .py file beside @f.yaml defines npu_aa, did you mean npu_a?; correct the name, or "
            "name the file with source"},
        Broken{"operators:\n  npu_a: {source: plain.py, kind: pyton}\n",
               "@f.yaml:2: kind: found the text \"pyton\", expected torchscript, module, python, library, did you mean "
               "python?"},
        Broken{"operators:\n  npu_a: {source: plain.py, schema: npu_a}\n",
               "@f.yaml:2: schema: found the text \"npu_a\", expected name(arguments) -> results; write it as "
               "\"npu_x(Tensor input, int dim=-1) -> Tensor\""},
        Broken{"operators:\n  Funktional.gelu: {source: plain.py}\n",
               "@f.yaml:2: Funktional.gelu: has the type Funktional, did you mean Functional?; types are NPU, "
               "Functional, Torch, Tensor, Aten, VF"},
        Broken{
            "output_valid_rows:\n  npu_a: {argumnt: g}\n",
            "@f.yaml:2: argumnt: unknown key, did you mean argument?; known are argument, position, list_type, unless"},
        Broken{"operators:\n  npu_a: {source: plain.py, kind: library}\n",
               "@f.yaml:2: kind: found library, but @plain.py is Python source; say torchscript or python, or remove "
               "kind"},
        Broken{"operators:\n  npu_a: {source: plain.py}\n  NPU.npu_a: {source: plain.py}\n",
               "@f.yaml:3: NPU.npu_a: is npu_a of line 2 once more; keep one of them"},
        Broken{"output_valid_rows:\n  npu_a: {argument: g, list_type: count}\n",
               "@f.yaml:2: list_type: found count, did you mean counts?; write counts, ends, or the name of the "
               "argument that says which"},
        Broken{"output_valid_rows:\n  npu_swiglu: {argument: input, list_type: dimm}\n",
               "@f.yaml:2: list_type: found dimm, which is no argument of npu_swiglu, did you mean dim?; write counts, "
               "ends, or the name of the argument that says which"},
        Broken{"output_valid_rows:\n  npu_a: {list_type: ends}\n",
               "@f.yaml:2: npu_a: names no argument; add `argument: group_list`, or whatever tells the rows"},
        Broken{
            "output_valid_rows:\n  npu_a: {argument: g, unless: 2}\n",
            "@f.yaml:2: unless: found the number 2, expected arguments with their values; write `unless: {group_type: "
            "[2]}`"}));

TEST(ConfigurationTest, ASchemaThatDoesNotParseIsRefusedWhereItStands) {
  Folder folder;
  folder.write("plain.py", "def npu_a(x):\n    return x\n");
  const std::string said = error_of(
      [&] { read(folder, "operators:\n  npu_a: {source: plain.py, schema: \"npu_a(Tensor, int d=) -> T\"}\n"); });
  EXPECT_TRUE(said.starts_with(folder / "f.yaml:2: schema: found the text \"npu_a(Tensor, int d=) -> T\", which is no "
                                        "schema: "))
      << said;
  EXPECT_TRUE(said.ends_with("; write it as \"npu_x(Tensor input, int dim=-1) -> Tensor\"")) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
}

TEST(ConfigurationTest, AnEntryThatIsNothingSaysHowOneLooks) {
  Folder folder;
  EXPECT_EQ(error_of([&] { read(folder, "operators:\n  npu_a: {description: x}\n"); }),
            (folder / "f.yaml:2: npu_a: has neither forward nor source") + kSeeForm);
  EXPECT_EQ(error_of([&] { read(folder, "operators: [a]\n"); }),
            (folder / "f.yaml:1: operators: found a list of 1, expected names of operators") + kSeeForm);
}

}  // namespace
}  // namespace msprobe::goldens
