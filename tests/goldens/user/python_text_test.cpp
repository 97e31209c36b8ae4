// What is seen of Python source without Python.
#include "goldens/user/python_text.h"

#include <gtest/gtest.h>

namespace msprobe::goldens {
namespace {

TEST(PythonTextTest, FindsFunctionsAnnotationsImportsAndConstants) {
  const PythonText text = scan_python(
      "\"\"\"Text,\n"
      "def no_function(): pass\n"
      "\"\"\"\n"
      "import torch, math\n"
      "from torch import nn\n"
      "import numpy as np\n"
      "ALPHA = 1.5  # a number\n"
      "N = 3\n"
      "NAME = 'x'\n"
      "\n"
      "@decorated\n"
      "def plain(a, b={'x': 1}, c=lambda: 0):\n"
      "    def inner(x: int): return x\n"
      "    return a\n"
      "def typed(\n"
      "    a: Tensor,\n"
      "):\n"
      "    '''A text\n"
      "def inside(): of it'''\n"
      "    return a\n"
      "def result(a) -> int:\n"
      "    return 1\n"
      "print(1)\n");
  std::vector<std::string> got;
  for (const auto& f : text.functions)
    got.push_back(f.name + ":" + std::to_string(f.line) + (f.annotated ? " typed" : ""));
  EXPECT_EQ(got, (std::vector<std::string>{"plain:12", "typed:15 typed", "result:21 typed"}));
  EXPECT_EQ(text.imports, (std::vector<std::string>{"torch", "math", "torch", "numpy"}));
  EXPECT_FALSE(text.imports_torch_alone());
  EXPECT_EQ(text.floats, (std::map<std::string, double>{{"ALPHA", 1.5}}));
  EXPECT_EQ(text.integers, (std::map<std::string, int64_t>{{"N", 3}}));
  // Lines keep their numbers.
  EXPECT_TRUE(text.functions_text.starts_with("\n\n\n\n\n\n\n\n\n\n\ndef plain("));
  EXPECT_EQ(text.functions_text.find("print"), std::string::npos);
}

}  // namespace
}  // namespace msprobe::goldens
