// What the tests of users' goldens share: a folder of files, calls by name, derivatives by differences.
#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "check/outputs.h"
#include "goldens/built_in.h"
#include "goldens/registry.h"
#include "goldens/user/configuration.h"
#include "support/temp_folder.h"

namespace msprobe::goldens {

/// A folder that goes with the test; its paths are texts, as configurations and command lines take them.
class Folder : public support::TempFolder {
 public:
  std::string operator/(const std::string& name) const { return (path() / name).string(); }
};

/// A Python with torch, named in MSPROBE_TEST_PYTHON or found; empty: there is none. MSPROBE_PYTHON is set to it.
inline std::string test_python() {
  static const std::string found = [] {
    std::vector<std::string> tried;
    if (const char* named = std::getenv("MSPROBE_TEST_PYTHON"); named != nullptr && *named != '\0')
      tried.push_back(named);
    tried.push_back(MSPROBE_SOURCE_DIR "/.venv/bin/python");
    tried.push_back("/usr/bin/python3");
    for (const auto& python : tried)
      if (std::system(("'" + python + "' -c 'import torch' >/dev/null 2>&1").c_str()) == 0) return python;
    return std::string();
  }();
  if (!found.empty()) setenv("MSPROBE_PYTHON", found.c_str(), 1);
  return found;
}

#define MSPROBE_NEEDS_PYTHON() \
  if (test_python().empty()) GTEST_SKIP() << "no Python with torch here; name one in MSPROBE_TEST_PYTHON"

using Keywords = std::vector<std::pair<std::string, ops::Value>>;

inline ops::Value call(const Golden* golden, std::vector<ops::Value> args, Keywords kwargs = {}) {
  if (golden == nullptr) throw std::logic_error("no such golden");
  return golden->call({std::move(args), std::move(kwargs)});
}
inline ops::Value call_built_in(const std::string& name, std::vector<ops::Value> args, Keywords kwargs = {}) {
  return call(find_built_in(name), std::move(args), std::move(kwargs));
}

/// Goldens of a configuration, among the built-in ones.
class UsersGoldens : public ::testing::Test {
 protected:
  void use(const Configuration& configuration) { registry_.add(configuration); }
  const Golden* find(const std::string& name) const { return registry_.find(name); }
  ops::Value call(const std::string& name, std::vector<ops::Value> args, Keywords kwargs = {}) const {
    return goldens::call(find(name), std::move(args), std::move(kwargs));
  }
  Registry registry_;
};

inline at::Tensor output(const ops::Value& result, size_t i = 0) {
  return check::flatten(result).at(i).get<at::Tensor>();
}

/// What a call throws; empty when it throws nothing.
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

inline at::Tensor wave(std::vector<int64_t> shape, double phase) {
  int64_t n = 1;
  for (int64_t s : shape) n *= s;
  return at::sin(at::arange(n, at::kDouble) * 0.7 + phase).reshape(shape);
}

/// Central differences of sum(f(x) * g).
inline at::Tensor numerical(const std::function<at::Tensor(const at::Tensor&)>& f, const at::Tensor& x,
                            const at::Tensor& g) {
  at::NoGradGuard off;
  at::Tensor out = at::zeros_like(x);
  for (int64_t i = 0; i < x.numel(); ++i) {
    constexpr double h = 1e-5;
    at::Tensor up = x.detach().clone(), down = x.detach().clone();
    up.view(-1)[i] += h;
    down.view(-1)[i] -= h;
    out.view(-1)[i] = (at::sum(f(up) * g) - at::sum(f(down) * g)) / (2 * h);
  }
  return out;
}

inline void expect_near(const at::Tensor& got, const at::Tensor& want, double tolerance = 1e-12) {
  ASSERT_TRUE(got.defined());
  ASSERT_EQ(got.sizes(), want.sizes());
  EXPECT_LE((got.detach().to(at::kDouble) - want.detach().to(at::kDouble)).abs().max().item<double>(), tolerance);
}

}  // namespace msprobe::goldens
