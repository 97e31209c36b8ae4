// The examples of docs/fused-operators.md, taken from there letter by letter and run.
#include <map>
#include <sstream>

#include "goldens/support.h"

namespace msprobe::goldens {
namespace {

struct Section {
  std::string title;
  std::vector<std::pair<std::string, std::string>> files;  // named in bold before their block
};

std::vector<Section> sections() {
  std::ifstream in(MSPROBE_SOURCE_DIR "/docs/fused-operators.md");
  std::vector<Section> all;
  std::string name, text;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      if (inside && !name.empty()) {
        all.back().files.emplace_back(name, text);
        name.clear();
      }
      inside = !inside;
      text.clear();
    } else if (inside) {
      text += line + "\n";
    } else if (line.starts_with("## ")) {
      all.push_back({line.substr(3), {}});
    } else if (line.starts_with("**`") && line.ends_with("`**")) {
      name = line.substr(3, line.size() - 6);
    }
  }
  return all;
}

class DocumentationTest : public UsersGoldens {
 protected:
  void use_section(const std::string& title) {
    for (const Section& section : sections()) {
      if (section.title != title) continue;
      for (const auto& [name, text] : section.files) folder_.write(name, text);
      if (title == "A C++ function")  // built from the document's block when the tests were
        std::filesystem::copy_file(MSPROBE_PLUGINS "/plugin_documented.so", folder_ / "libgoldens.so");
      use(read_configuration(folder_ / "my_operators.yaml"));
      return;
    }
    FAIL() << "docs/fused-operators.md has no section " << title;
  }
  static at::Tensor swiglu(const at::Tensor& x) {
    at::Tensor a = x.slice(-1, 0, 2), b = x.slice(-1, 2, 4);
    return a / (1 + at::exp(-a)) * b;
  }
  void expect_swiglu(const std::string& source) {
    EXPECT_EQ(find("npu_swiglu")->source.substr(0, source.size()), source);
    at::Tensor x = wave({3, 4}, 0.2).requires_grad_(true), g = wave({3, 2}, 1);
    at::Tensor y = output(call("npu_swiglu", {x}));
    expect_near(y, swiglu(x));
    y.backward(g);
    expect_near(x.grad(), numerical(swiglu, x, g), 1e-9);
  }

  Folder folder_;
};

TEST_F(DocumentationTest, APythonFunctionWithTypes) {
  use_section("A Python function with types");
  expect_swiglu("TorchScript ");
}

TEST_F(DocumentationTest, AnyPythonFunction) {
  MSPROBE_NEEDS_PYTHON();
  if (std::system(("'" + test_python() + "' -c 'import numpy' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "no numpy for this Python";
  use_section("Any Python function");
  at::Tensor x = wave({2, 3}, 0.2), gamma = wave({3}, 1);
  at::Tensor rstd = at::pow(at::sum(x * x, {1}, true) / 3 + 1e-6, -0.5);
  auto r = call("npu_rms_norm", {x, gamma});
  expect_near(output(r), x * rstd * gamma);
  expect_near(output(r, 1), rstd, 1e-6);
}

TEST_F(DocumentationTest, ACppFunction) {
  use_section("A C++ function");
  expect_swiglu("library ");
}

TEST_F(DocumentationTest, GradientsOfYourOwn) {
  use_section("Gradients of your own");
  at::Tensor x = at::tensor({-2.0, -0.5, 0.25, 1.5}, at::kDouble).requires_grad_(true);
  at::Tensor y = output(call("npu_clip", {x}));
  expect_near(y, at::tensor({-1.0, -0.5, 0.25, 1.0}, at::kDouble));
  y.backward(at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble));
  expect_near(x.grad(), at::tensor({0.0, 2.0, 3.0, 0.0}, at::kDouble));
}

// The blocks without a file name stand alone.
TEST_F(DocumentationTest, TheYamlBlocksAreRead) {
  std::ifstream in(MSPROBE_SOURCE_DIR "/docs/fused-operators.md");
  std::string text;
  int read = 0;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```yaml") {
      inside = true;
    } else if (line == "```" && inside) {
      inside = false;
      if (text.find("source: |") != std::string::npos || text.starts_with("output_valid_rows")) {
        const Configuration c = read_configuration(folder_.write("block.yaml", text));
        EXPECT_EQ(c.operators.size() + c.valid_rows.size(), 1u) << text;
        ++read;
      }
      text.clear();
    } else if (inside) {
      text += line + "\n";
    }
  }
  EXPECT_EQ(read, 2);
}

}  // namespace
}  // namespace msprobe::goldens
