// Every adaptor against PyTorch's Python function: results, gradients and changed arguments of the calls in
// tests/data/ops/adaptor_cases.json, which make_adaptor_cases.py recorded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "inputs/value.h"
#include "ops/registry.h"

namespace msprobe::ops {
namespace {

using json = nlohmann::ordered_json;  // keywords in the order of the call

double number(const json& j) {
  return j.is_string() ? std::stod(j.get<std::string>()) : j.get<double>();
}

at::Tensor read_tensor(const json& j) {
  const auto dtype = inputs::parse_scalar_type(j.at("tensor").get<std::string>()).value();
  const auto shape = j.at("shape").get<std::vector<int64_t>>();
  const json& data = j.at("data");
  const auto read = [&]<class T>(T, at::ScalarType wide) {
    std::vector<T> numbers;
    for (const json& x : data) numbers.push_back(static_cast<T>(x.is_boolean() ? x.get<bool>() : 0));
    for (size_t i = 0; i < data.size(); ++i) {
      if (data[i].is_boolean()) continue;
      if constexpr (std::is_same_v<T, int64_t>) {
        numbers[i] = data[i].get<int64_t>();
      } else {
        numbers[i] = number(data[i]);
      }
    }
    at::Tensor t =
        at::from_blob(numbers.data(), {static_cast<int64_t>(numbers.size())}, at::TensorOptions(wide)).clone();
    return at::isComplexType(dtype) ? at::view_as_complex(t.view({-1, 2})) : t;
  };
  at::Tensor t =
      at::isFloatingType(dtype) || at::isComplexType(dtype) ? read(double{}, at::kDouble) : read(int64_t{}, at::kLong);
  t = t.to(dtype).view(shape);
  if (j.at("grad").get<bool>()) t.set_requires_grad(true);
  return t;
}

Value read_value(const json& j);

std::vector<Value> read_values(const json& list) {
  std::vector<Value> values;
  for (const json& x : list) values.push_back(read_value(x));
  return values;
}

Value read_value(const json& j) {
  if (j.is_null()) return inputs::None{};
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_string()) return j.get<std::string>();
  if (j.is_array()) return inputs::List{read_values(j)};
  if (j.contains("tensor")) return read_tensor(j);
  if (j.contains("int")) return j["int"].get<int64_t>();
  if (j.contains("float")) return number(j["float"]);
  if (j.contains("complex")) return c10::complex<double>(j["complex"][0].get<double>(), j["complex"][1].get<double>());
  if (j.contains("ellipsis")) return inputs::Ellipsis{};
  if (j.contains("slice")) return inputs::Slice{read_values(j["slice"])};
  if (j.contains("dtype")) return inputs::parse_scalar_type(j["dtype"].get<std::string>()).value();
  if (j.contains("device")) return at::Device(j["device"].get<std::string>());
  if (j.contains("memory_format")) {
    return j["memory_format"] == "channels_last" ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  }
  inputs::List size;
  for (const json& x : j.at("size")) size.items.push_back(x.get<int64_t>());
  size.is_size = true;
  return size;
}

// Differences that another CPU's vector units make, relative to the largest value of the tensor.
double tolerance(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
    case at::kComplexDouble:
      return 1e-13;
    case at::kFloat:
    case at::kComplexFloat:
      return 1e-6;
    case at::kHalf:
    case at::kComplexHalf:
      return 1e-3;
    case at::kBFloat16:
      return 8e-3;
    default:
      return 0;
  }
}

void expect_same(const at::Tensor& got, const at::Tensor& expected) {
  ASSERT_EQ(got.sizes(), expected.sizes());
  ASSERT_EQ(got.scalar_type(), expected.scalar_type());
  if (got.numel() == 0) return;
  const auto wide = [](const at::Tensor& t) {
    const at::Tensor plain = t.detach().resolve_conj().resolve_neg();
    return plain.is_complex() ? at::view_as_real(plain.to(at::kComplexDouble)) : plain.to(at::kDouble);
  };
  if (tolerance(expected.scalar_type()) == 0) {
    EXPECT_TRUE(at::equal(got.detach(), expected)) << got << "\nexpected\n" << expected;
    return;
  }
  const at::Tensor a = wide(got), b = wide(expected);
  const at::Tensor finite = b.masked_fill(b.isfinite().logical_not(), 0);
  const double limit = tolerance(expected.scalar_type()) * finite.abs().max().item<double>();
  EXPECT_TRUE(at::allclose(a, b, /*rtol=*/0, limit, /*equal_nan=*/true)) << got << "\nexpected\n" << expected;
}

void flatten(const Value& v, std::vector<Value>& flat) {
  if (const auto* list = v.get_if<inputs::List>()) {
    for (const Value& x : list->items) flatten(x, flat);
  } else {
    flat.push_back(v);
  }
}

void expect_same(const Value& got, const Value& expected) {
  std::vector<Value> a, b;
  flatten(got, a);
  flatten(expected, b);
  ASSERT_EQ(got.is<inputs::List>(), expected.is<inputs::List>());
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    ASSERT_EQ(a[i].v.index(), b[i].v.index());
    if (b[i].is_tensor()) {
      expect_same(a[i].get<at::Tensor>(), b[i].get<at::Tensor>());
    } else if (b[i].is<double>()) {
      EXPECT_EQ(a[i].get<double>(), b[i].get<double>());
    } else if (b[i].is<int64_t>()) {
      EXPECT_EQ(a[i].get<int64_t>(), b[i].get<int64_t>());
    } else if (b[i].is<bool>()) {
      EXPECT_EQ(a[i].get<bool>(), b[i].get<bool>());
    } else if (b[i].is<std::string>()) {
      EXPECT_EQ(a[i].get<std::string>(), b[i].get<std::string>());
    } else if (b[i].is<c10::complex<double>>()) {
      EXPECT_EQ(a[i].get<c10::complex<double>>(), b[i].get<c10::complex<double>>());
    } else {
      EXPECT_TRUE(b[i].is_none());
    }
  }
}

std::vector<at::Tensor> tensors(Arguments& arguments) {
  std::vector<at::Tensor> all;
  inputs::for_each_tensor(arguments, [&](at::Tensor& t) { all.push_back(t); });
  return all;
}

// The gradient that the generator gave to an output: 1/n, 2/n, ... 1.
at::Tensor weights(const at::Tensor& output) {
  const auto n = output.numel();
  return (at::arange(1, n + 1, at::kDouble) / static_cast<double>(std::max<int64_t>(n, 1)))
      .view(output.sizes())
      .to(output.scalar_type());
}

void backward(const Value& result, const std::vector<at::Tensor>& arguments, bool inplace) {
  std::vector<Value> flat;
  flatten(result, flat);
  std::vector<at::Tensor> outputs, gradients;
  for (const Value& v : flat) {
    if (v.is_tensor() && v.get<at::Tensor>().requires_grad()) outputs.push_back(v.get<at::Tensor>());
  }
  if (outputs.empty() && inplace) {
    for (const at::Tensor& t : arguments) {
      if (t.requires_grad() && !t.is_leaf()) outputs.push_back(t);
    }
  }
  for (const at::Tensor& t : outputs) gradients.push_back(weights(t));
  torch::autograd::backward(outputs, gradients);
}

const json& cases() {
  static const json all = [] {
    std::ifstream file(MSPROBE_TEST_DATA "/ops/adaptor_cases.json");
    return json::parse(file);
  }();
  return all;
}

/// "name", or "name argument" for an operator that has that argument: whether this LibTorch has it.
bool available(const std::string& needs) {
  const size_t space = needs.find(' ');
  const std::string name = needs.substr(0, space);
  if (space == std::string::npos || !exists(name)) return exists(name);
  const auto handle = c10::Dispatcher::singleton().findSchema({"aten::" + name, ""});
  return handle && handle->schema().argumentIndexWithName(needs.substr(space + 1));
}

class AdaptorCase : public testing::TestWithParam<size_t> {};

TEST_P(AdaptorCase, DoesWhatPythonDoes) {
  const json& j = cases()[GetParam()];
  if (j.contains("needs") && !available(j["needs"].get<std::string>()))
    GTEST_SKIP() << "this LibTorch has no " << j["needs"];
  json shown = j;
  shown.erase("grads");
  SCOPED_TRACE(shown.dump().substr(0, 2000));
  Arguments arguments{read_values(j["args"]), {}};
  for (const auto& [name, value] : j["kwargs"].items()) arguments.kwargs.emplace_back(name, read_value(value));
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& t : tensors(arguments)) {
    if (t.requires_grad()) leaves.push_back(t);
  }
  const bool inplace = j.contains("inplace");
  if (inplace) {  // in Python's program the changed tensor was no leaf
    for (Value& v : arguments.args) {
      if (v.is_tensor() && v.get<at::Tensor>().requires_grad()) v = v.get<at::Tensor>().clone();
    }
  }
  if (j.contains("seed")) at::manual_seed(j["seed"].get<uint64_t>());
  const Adaptor* adaptor = find_adaptor(j["api"].get<std::string>());
  ASSERT_NE(adaptor, nullptr);
  const Value result = (*adaptor)(arguments);
  expect_same(result, read_value(j["out"]));

  const auto after = tensors(arguments);
  for (size_t i = 0; i < after.size() && j.contains("after"); ++i) {
    const auto changed = j["after"].find(std::to_string(i));
    if (changed == j["after"].end()) continue;
    SCOPED_TRACE("argument tensor " + std::to_string(i) + " after the call");
    expect_same(after[i], read_tensor(*changed));
  }
  if (!j.contains("grads")) return;
  backward(result, after, inplace);
  ASSERT_EQ(leaves.size(), j["grads"].size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    SCOPED_TRACE("gradient " + std::to_string(i));
    const at::Tensor& gradient = leaves[i].grad();
    ASSERT_EQ(gradient.defined(), !j["grads"][i].is_null());
    if (gradient.defined())
      expect_same(gradient.is_sparse() ? gradient.to_dense() : gradient, read_tensor(j["grads"][i]));
  }
}

std::string case_name(const testing::TestParamInfo<size_t>& info) {
  std::string name = cases()[info.param]["api"].get<std::string>() + "_" + std::to_string(info.param);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Python, AdaptorCase, testing::Range<size_t>(0, cases().size()), case_name);

TEST(AdaptorCases, CoverEveryAdaptor) {
  std::set<std::string> covered;
  for (const json& j : cases()) covered.insert(j["api"].get<std::string>());
  // Named here: what a case of Python cannot show, tested in adaptors_forms_test.cpp.
  for (const char* name : {"Tensor.cuda", "Tensor.npu", "Tensor.__long__", "Aten._list_to_tensor",
                           "Functional.grouped_mm", "Functional.linear_cross_entropy"}) {
    covered.insert(name);
  }
  std::string missing;
  for (const std::string& name : adaptor_names()) {
    if (!covered.count(name)) missing += name + " ";
  }
  EXPECT_EQ(missing, "");
}

}  // namespace
}  // namespace msprobe::ops
