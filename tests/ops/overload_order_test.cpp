// The order in which signatures are tried, against the order in which PyTorch's own error messages list them.
#include <gtest/gtest.h>
#include <torch/version.h>

#include <algorithm>

#include "signatures/signature.h"
#include "support/files.h"

namespace msprobe::ops {
namespace {

using namespace signatures;

using Texts = std::vector<std::string>;

struct PythonOrder {
  bool method = false;
  std::string name;
  Texts signatures;  ///< "Tensor input, tuple of ints dim, bool keepdim"
};

std::vector<PythonOrder> read_orders() {
  std::vector<PythonOrder> orders;
  for (const std::string& line : support::lines(MSPROBE_TEST_DATA "/ops/python_overload_order.txt")) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("  ")) {
      orders.back().signatures.push_back(line.substr(2));
    } else {
      const auto space = line.find(' ');
      orders.push_back({line.substr(0, space) == "method", line.substr(space + 1), {}});
    }
  }
  return orders;
}

// A parameter's type as Python's error messages spell it.
std::string python_type(const Parameter& p) {
  switch (p.kind) {
    case Kind::kScalar:
      return "Number";
    case Kind::kInt:
      return "int";
    case Kind::kIntList:
      return "tuple of ints";
    case Kind::kFloatList:
      return "tuple of floats";
    case Kind::kScalarList:
      return "tuple of Scalars";
    case Kind::kTensorList:
    case Kind::kOptionalTensorList:
      return "tuple of Tensors";
    case Kind::kScalarType:
      return "torch.dtype";
    case Kind::kLayout:
      return "torch.layout";
    case Kind::kDevice:
      return "torch.device";
    case Kind::kMemoryFormat:
      return "torch.memory_format";
    case Kind::kGenerator:
      return "torch.Generator";
    default:
      return p.type;
  }
}

Texts our_order(const PythonOrder& order) {
  Texts texts;
  const Operator* op = find_operator(order.name);
  if (!op) return texts;
  for (const auto& s : order.method ? op->methods : op->functions) {
    std::string text;
    for (const int i : s.order) {
      const Parameter& p = s.base->parameters[i];
      text += (text.empty() ? "" : ", ") + python_type(p) + " " + std::string(s.shown_name(p));
    }
    texts.push_back(text);
  }
  return texts;
}

bool has(const Texts& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string joined(const Texts& texts) {
  std::string text;
  for (const auto& t : texts) text += "  (" + t + ")\n";
  return text;
}

// Python's lists also hold its deprecated forms and those with names of dimensions; ours may lack what this LibTorch
// lacks. What both have stands in the same order.
TEST(OverloadOrderTest, IsPythons) {
  int compared = 0;
  for (const auto& order : read_orders()) {
    const Texts all = our_order(order);
    Texts ours, theirs;
    for (const auto& text : all) {
      if (has(order.signatures, text)) ours.push_back(text);
    }
    for (const auto& text : order.signatures) {
      if (has(all, text)) theirs.push_back(text);
    }
    EXPECT_EQ(joined(ours), joined(theirs)) << (order.method ? "Tensor." : "torch.") << order.name;
    compared += ours.size() > 1;
  }
  EXPECT_GE(compared, 200);
}

// Where both sides are PyTorch 2.13: nothing that Python sees is missing, and nothing is there that Python does not
// see.
TEST(OverloadOrderTest, HasPythonsSignaturesAndNoOthers) {
  if (TORCH_VERSION_MAJOR != 2 || TORCH_VERSION_MINOR != 13)
    GTEST_SKIP() << "the recorded signatures are PyTorch 2.13's";
  for (const auto& order : read_orders()) {
    // Options in another order than the schema's, sparse, parsed by hand in Python, or of storages.
    const bool special = order.name.starts_with("rand") || order.name.starts_with("sparse_") || order.name == "to" ||
                         order.name == "nonzero" || order.name == "set_";
    const Texts ours = our_order(order);
    for (const auto& text : ours) {
      EXPECT_TRUE(special || has(order.signatures, text)) << order.name << "(" << text << ") is not Python's";
    }
    for (const auto& text : order.signatures) {
      EXPECT_TRUE(special || has(ours, text)) << order.name << "(" << text << ") is missing";
    }
  }
}

}  // namespace
}  // namespace msprobe::ops
