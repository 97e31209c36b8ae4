// What torch.nn.functional refuses, against Python's own words: tests/data/ops/refusals.json, which
// make_refusal_cases.py recorded, and writes again where there is a Python with torch.
#include "ops/refusals/refusal.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/temp_folder.h"

namespace msprobe::ops {
namespace {

using json = nlohmann::ordered_json;

json read(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

Value value_of(const json& j) {
  if (j.is_null()) return inputs::None{};
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  inputs::List list;
  if (j.is_object() && j.contains("tensor"))
    return at::zeros(j["shape"].get<std::vector<int64_t>>(),
                     inputs::parse_scalar_type(j["tensor"].get<std::string>()).value());
  list.is_size = j.is_object();
  for (const json& item : list.is_size ? j["size"] : j) list.items.push_back(value_of(item));
  return list;
}

std::optional<std::string> refusal_of(const json& j, const std::string& type = "Functional") {
  Arguments arguments;
  for (const json& item : j["args"]) arguments.args.push_back(value_of(item));
  for (const auto& [name, item] : j["kwargs"].items()) arguments.kwargs.emplace_back(name, value_of(item));
  return python_refusal(dump::parse_api_name(type + "." + j["function"].get<std::string>() + ".0"), arguments);
}

// Words alone: PyTorch has runs of spaces in some.
std::string words(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

const std::string kRecorded = MSPROBE_TEST_DATA "/ops/refusals.json";

TEST(Refusals, AreThoseOfPythonInItsWords) {
  size_t refused = 0;
  for (const json& j : read(kRecorded)) {
    const auto found = refusal_of(j);
    refused += found.has_value();
    const std::string expected = j["refused"].is_null() ? "" : j["refused"].get<std::string>();
    EXPECT_EQ(words(found.value_or("")), expected) << j.dump();
  }
  EXPECT_GE(refused, 150u);
}

TEST(Refusals, OperatorsAreNotPythonsFunctions) {
  const json j = {{"function", "batch_norm"},
                  {"args", {{{"tensor", "torch.float32"}, {"shape", {1, 3}}}}},
                  {"kwargs", {{"running_mean", nullptr}, {"running_var", nullptr}, {"training", true}}}};
  EXPECT_TRUE(refusal_of(j).has_value());
  EXPECT_FALSE(refusal_of(j, "Torch").has_value());
  EXPECT_FALSE(refusal_of(j, "Aten").has_value());
}

TEST(Refusals, ACallThatDoesNotFitIsToldByTheCall) {
  const json j = {{"function", "dropout"}, {"args", {"text"}}, {"kwargs", {{"q", 2}}}};
  EXPECT_FALSE(refusal_of(j).has_value());
}

// The recorded words are still PyTorch's.
TEST(Refusals, PythonSaysTheSameToday) {
  const char* python = std::getenv("MSPROBE_TEST_PYTHON");
  if (python == nullptr || *python == '\0') GTEST_SKIP() << "no Python with torch is named in MSPROBE_TEST_PYTHON";
  const std::string version = support::printed_by(std::string(python) + " -c 'import torch; print(torch.__version__)'");
  if (!version.starts_with("2.13.")) GTEST_SKIP() << "the words are those of PyTorch 2.13, this is " << version;
  const support::TempFolder folder;
  const std::string again = folder / "refusals.json";
  ASSERT_EQ(support::shell(std::string(python) + " " MSPROBE_SOURCE_DIR "/tests/ops/make_refusal_cases.py " + again),
            0);
  EXPECT_EQ(read(again), read(kRecorded));
}

}  // namespace
}  // namespace msprobe::ops
