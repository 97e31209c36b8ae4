#include "run/coverage.h"

#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "ops/registry.h"
#include "ops/skip.h"
#include "signatures/python_names.h"
#include "signatures/signature.h"
#include "util/error.h"

namespace msprobe::run {
namespace {

constexpr std::string_view kAdaptor = "adaptor ";  // how ops::candidates() begins what is no schema

std::string overload_of(const config::PythonName& python) {
  const auto dot = python.name.find('.');
  if (python.type != "Aten" || dot == std::string::npos) return "";
  return python.name.substr(dot + 1);
}

// Why no call of `name` could bind to the operator; empty when one may.
std::string obstacle(const config::PythonName& python, const std::string& name) {
  const signatures::Operator* known = signatures::find_operator(name);
  if (!known || known->schemas.empty()) return name + " takes only what no dump records";
  if (python.type == "Aten") {
    std::string overload = overload_of(python);
    if (overload.empty()) return "";
    const auto is_it = [&](const auto& schema) { return schema->overload == (overload == "default" ? "" : overload); };
    const bool found = std::any_of(known->schemas.begin(), known->schemas.end(), is_it);
    return found ? "" : name + " has no overload " + overload + " in this LibTorch";
  }
  const signatures::Dunder* dunder = python.type == "Tensor" ? signatures::find_dunder(python.name) : nullptr;
  const bool method = python.type == "Tensor" && (!dunder || dunder->kind == signatures::DunderKind::kMethod);
  if ((method ? known->methods : known->functions).empty())
    return name + (method ? " is no method: no overload takes self" : " is out of Python's sight");
  return "";
}

Coverage cover_fused(const goldens::Registry& goldens, const std::string& name, Coverage coverage) {
  const goldens::Golden* golden = goldens.find(name);
  coverage.way = golden ? Way::kGolden : Way::kNotPossible;
  coverage.how = golden ? golden->source : "no reference is known";  // the word that users of the list know
  // Where torch_npu is loaded, as for a run on an NPU.
  if (signatures::find_operator("npu::" + name))
    coverage.how += golden ? ", against npu::" + name : " for npu::" + name;
  return coverage;
}

}  // namespace

std::vector<std::string> read_universe(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(path, fmt::format("cannot be read: {}", std::strerror(errno)), "install msprobe completely");
  std::vector<std::string> names;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const auto dot = line.find('.');
    if (dot == 0 || dot == std::string::npos || dot + 1 == line.size() || line.find(' ') != std::string::npos)
      throw Error(fmt::format("{}:{}", path, number), fmt::format("\"{}\", expected Type.name", line));
    names.push_back(std::move(line));
  }
  return names;
}

Coverage cover(const std::string& type_and_name, const config::Standards& standards, const goldens::Registry& goldens) {
  Coverage coverage{type_and_name, Way::kNotPossible, "", false, ""};
  const dump::ApiName name = dump::parse_api_name(type_and_name + ".0");
  const config::ApiList none;
  if (auto reason = ops::skip_by_name(name, {none, none}, standards)) {
    coverage.way = Way::kSkipped;
    coverage.how = std::move(*reason);
    return coverage;
  }
  if (name.type == "NPU") return cover_fused(goldens, name.name, std::move(coverage));
  if (const goldens::Golden* users = goldens.users_golden(name)) coverage.golden = users->source;

  const config::PythonName python = signatures::python_name(name);
  std::string schemas, obstacles;
  for (const ops::Candidate& candidate : ops::candidates(name, {})) {
    if (candidate.how.starts_with(kAdaptor)) {
      coverage.way = Way::kAdaptor;
      return coverage;
    }
    constexpr std::string_view kAten = "aten::";
    const bool aten = candidate.how.starts_with(kAten);
    const std::string why = obstacle(python, aten ? candidate.how.substr(kAten.size()) : candidate.how);
    std::string& list = why.empty() ? schemas : obstacles;
    if (!list.empty()) list += why.empty() ? ", " : "; ";
    list += why.empty() ? candidate.how : why;
  }
  if (!schemas.empty()) {
    coverage.way = Way::kSchema;
    coverage.how = std::move(schemas);
    if (const std::string overload = overload_of(python); !overload.empty()) coverage.how += "." + overload;
  } else if (!obstacles.empty()) {
    coverage.how = std::move(obstacles);
  } else {
    coverage.how = "this LibTorch (" TORCH_VERSION ") has nothing of that name";
    coverage.absent = true;
  }
  return coverage;
}

Totals totals(const std::vector<Coverage>& all) {
  Totals totals;
  for (const Coverage& one : all) {
    auto& row = totals.try_emplace(one.name.substr(0, one.name.find('.'))).first->second;
    ++row[static_cast<size_t>(one.way)];
  }
  return totals;
}

namespace {

std::string way_text(const Coverage& coverage) {
  switch (coverage.way) {
    case Way::kSchema:
      return "by schema (" + coverage.how + ")";
    case Way::kAdaptor:
      return "by adaptor";
    case Way::kGolden:
      return "fused golden (" + coverage.how + ")";
    case Way::kSkipped:
      return "SKIP by policy: " + coverage.how;
    case Way::kNotPossible:
      break;
  }
  return "not possible: " + coverage.how;
}

}  // namespace

std::string text(const Coverage& coverage) {
  return way_text(coverage) + (coverage.golden.empty() ? "" : ", golden: " + coverage.golden);
}

}  // namespace msprobe::run
