#include "config/standards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "config/api_facts.h"
#include "config/document.h"
#include "config/listed_facts.h"
#include "util/edit_distance.h"

namespace msprobe::config {
namespace {

constexpr std::array<std::string_view, 6> kAlgorithmNames = {"标杆比对法",    "绝对阈值法", "二进制一致法",
                                                             "ULP误差比对法", "双千指标法", "累积误差比对法"};
/// Every table by dtype must have these; float32's row stands for all dtypes without one.
constexpr std::array<std::string_view, 3> kNeededDtypes = {"float16", "bfloat16", "float32"};
constexpr std::array<std::string_view, 17> kKnownDtypes = {
    "float16",         "bfloat16",       "float32",   "float64",   "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
    "float8_e5m2fnuz", "float8_e8m0fnu", "complex32", "complex64", "complex128",    "int8",        "uint8",
    "int16",           "int32",          "int64"};

/// One key of a map: how its value is read.
struct Field {
  std::string_view name;
  std::function<void(const Node&)> read;
};

template <class Names>
std::vector<std::string> strings(const Names& names) {
  return {names.begin(), names.end()};
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  /// `optional`: names of fields that may be left out.
  void map(const Node& node, const std::vector<Field>& fields,
           const std::set<std::string, std::less<>>& optional = {}) const {
    expect_map(node);
    std::vector<std::string> known;
    for (const Field& field : fields) known.emplace_back(field.name);
    for (const Node& entry : node.children) {
      const Field* field = nullptr;
      for (const Field& f : fields) {
        if (f.name == entry.key) field = &f;
      }
      if (field == nullptr) throw unknown(entry, "key", known);
      field->read(entry);
    }
    for (const Field& field : fields) {
      if (node.find(field.name) == nullptr && !optional.contains(field.name)) {
        throw missing(node, std::string(field.name), "take the installed precision_standard.yaml as a pattern");
      }
    }
  }

  /// Every entry of a map whose keys are free.
  void each(const Node& node, const std::function<void(const Node&)>& read) const {
    expect_map(node);
    for (const Node& entry : node.children) read(entry);
  }

  /// A map by dtype; float16, bfloat16 and float32 must be there.
  void by_dtype(const Node& node, const std::function<void(const Node&)>& read) const {
    expect_map(node);
    for (const Node& entry : node.children) {
      bool known = false;
      for (std::string_view dtype : kKnownDtypes) known |= dtype == entry.key;
      if (!known) throw unknown(entry, "dtype", strings(kKnownDtypes));
      read(entry);
    }
    for (std::string_view dtype : kNeededDtypes) {
      if (node.find(dtype) == nullptr) {
        throw missing(node, fmt::format("dtype {} of {}", dtype, fmt::join(kNeededDtypes, ", ")), "add a row for it");
      }
    }
  }

  /// A finite number of at least `least`: 0.001, 1e-16 or 2^-14.
  double number(const Node& node, double least = 0) const {
    double value = 0;
    if (node.kind == Node::Kind::kString) {
      const auto power = power_of_two(node.text);
      if (!power) {
        throw error_at(path_, node, fmt::format("found {}, expected a number", describe(node)),
                       "write it as 0.001, 1e-16 or 2^-14");
      }
      value = *power;
    } else {
      value = as_number(path_, node);
    }
    if (value < least) {
      throw error_at(path_, node, fmt::format("found {}, expected a number of at least {}", node.text, least));
    }
    return value;
  }
  double positive(const Node& node) const {
    const double value = number(node);
    if (value == 0) throw error_at(path_, node, "found 0, expected a number above 0");
    return value;
  }
  double share(const Node& node) const {
    const double value = number(node);
    if (value > 1) throw error_at(path_, node, fmt::format("found {}, expected a share from 0 to 1", node.text));
    return value;
  }

  std::map<std::string, double, std::less<>> numbers_by_dtype(const Node& node) const {
    std::map<std::string, double, std::less<>> out;
    by_dtype(node, [&](const Node& entry) { out[entry.key] = number(entry); });
    return out;
  }

  ApiList names(const Node& node) const {
    if (node.kind == Node::Kind::kNull) return {};
    std::vector<std::string> out = as_text_list(path_, node);
    std::set<std::string_view> known;
    for (const std::string& name : out) {
      if (!known.insert(name).second) throw error_at(path_, node, name + " is listed twice", "remove one of them");
    }
    return out;
  }

  ApiMap<std::string> texts(const Node& node) const {
    ApiMap<std::string> out;
    if (node.kind == Node::Kind::kNull) return out;
    expect_map(node);
    for (const Node& entry : node.children) out.add(entry.key, as_text(path_, entry));
    return out;
  }

  ApiMap<int> counts(const Node& node) const {
    ApiMap<int> out;
    if (node.kind == Node::Kind::kNull) return out;
    expect_map(node);
    for (const Node& entry : node.children) {
      const double value = positive(entry);
      if (value != static_cast<int>(value))
        throw error_at(path_, entry, fmt::format("found {}, expected a whole number", entry.text));
      out.add(entry.key, static_cast<int>(value));
    }
    return out;
  }

  Error unknown(const Node& entry, std::string_view what, const std::vector<std::string>& known) const {
    const std::string near = util::did_you_mean(entry.key, known);
    return Error(fmt::format("{}:{}", path_, entry.key_line), fmt::format("unknown {} {}{}", what, entry.key, near),
                 near.empty() ? fmt::format("expected one of {}", fmt::join(known, ", ")) : "");
  }
  const std::string& path() const { return path_; }

 private:
  void expect_map(const Node& node) const {
    if (node.kind == Node::Kind::kMap) return;
    throw error_at(path_, node, fmt::format("found {}, expected keys with values", describe(node)));
  }
  /// At the line of the map's key: its value may begin lines below.
  Error missing(const Node& node, const std::string& what, const std::string& remedy) const {
    const std::string place = fmt::format("{}:{}", path_, node.key_line != 0 ? node.key_line : node.line);
    return Error(node.key.empty() ? place : place + ": " + node.key, what + " is missing", remedy);
  }
  static std::optional<double> power_of_two(std::string_view text) {
    if (!text.starts_with("2^")) return std::nullopt;
    int exponent = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 2, end, exponent);
    if (error != std::errc() || stop != end || exponent < -1022 || exponent > 1023) return std::nullopt;
    return std::ldexp(1.0, exponent);
  }

  const std::string& path_;
};

DtypeLimits read_limits(const Reader& reader, const Node& node) {
  DtypeLimits limits{};
  reader.map(node, {
                       {"eps", [&](const Node& n) { limits.eps = reader.positive(n); }},
                       {"small_value", [&](const Node& n) { limits.small_value = reader.number(n); }},
                       {"small_value_atol", [&](const Node& n) { limits.small_value_atol = reader.number(n); }},
                       {"small_value_atol_benchmark",
                        [&](const Node& n) { limits.small_value_atol_benchmark = reader.number(n); }},
                       {"rtol", [&](const Node& n) { limits.rtol = reader.number(n); }},
                       {"ratio_floor", [&](const Node& n) { limits.ratio_floor = reader.positive(n); }},
                   });
  return limits;
}

void read_dtypes(const Reader& reader, const Node& node, Standards& s) {
  const auto table = [&](auto& out) {
    return [&](const Node& profile) {
      reader.by_dtype(profile, [&](const Node& entry) { out[entry.key] = read_limits(reader, entry); });
    };
  };
  reader.map(node, {{"documented", table(s.documented)}, {"mindstudio", table(s.mindstudio)}});
}

void read_acc_check(const Reader& reader, const Node& node, Standards& s) {
  const auto share = [&](double& out) { return [&](const Node& n) { out = reader.share(n); }; };
  const auto error_share = [&](double& out) {
    return [&](const Node& n) { reader.positive(n), out = reader.share(n); };
  };
  const auto number = [&](double& out) { return [&](const Node& n) { out = reader.number(n); }; };
  reader.map(node, {
                       {"cosine_threshold", [&](const Node& n) { s.cosine_threshold = reader.number(n, -1); }},
                       {"max_abs_threshold", number(s.max_abs_threshold)},
                       {"hundredth_threshold", error_share(s.hundredth_threshold)},
                       {"thousandth_threshold", error_share(s.thousandth_threshold)},
                       {"ten_thousandth_threshold", error_share(s.ten_thousandth_threshold)},
                       {"dropout_zero_share", share(s.dropout_zero_share)},
                       {"dropout_min_elements",
                        [&](const Node& n) { s.dropout_min_elements = as_integer(reader.path(), n, 0, INT64_MAX); }},
                       {"quantization_max_abs", number(s.quantization_max_abs)},
                       {"ulp_share_limit", [&](const Node& n) { s.ulp_share_limit = reader.numbers_by_dtype(n); }},
                   });
}

void read_assessment(const Reader& reader, const Node& node, AssessmentLimits& limits) {
  const auto positive = [&](double& out) { return [&](const Node& n) { out = reader.positive(n); }; };
  const auto share = [&](double& out) { return [&](const Node& n) { out = reader.share(n); }; };
  const auto times = [&](const Node& n) {
    reader.map(n, {{"rms", positive(limits.rms)},
                   {"max_relative", positive(limits.max_relative)},
                   {"mean_relative", positive(limits.mean_relative)},
                   {"max_abs", positive(limits.max_abs)}});
  };
  const auto norm = [&](const Node& n) {
    reader.map(n, {{"rms", positive(limits.norm_rms)}, {"max_abs", positive(limits.norm_max)}});
  };
  reader.map(node, {{"times", times},
                    {"own_arithmetic", positive(limits.own_arithmetic)},
                    {"scatter", [&](const Node& n) { limits.scatter = reader.number(n); }},
                    {"negligible", share(limits.negligible)},
                    {"zeros", share(limits.zeros)},
                    {"norm_ulp", norm},
                    {"all_but_zero", positive(limits.all_but_zero)},
                    {"cancellation", positive(limits.cancellation)}});
}

void read_algorithms(const Reader& reader, const Node& node, Standards& s) {
  std::vector<Field> fields;
  for (size_t i = 1; i < kAlgorithmNames.size(); ++i) {
    fields.push_back({kAlgorithmNames[i], [&, i](const Node& list) {
                        for (const std::string& api : reader.names(list)) {
                          if (s.algorithm_of_api.add(api, static_cast<Algorithm>(i))) continue;
                          const Algorithm other = *s.algorithm_of_api.find_entry(api);
                          throw error_at(reader.path(), list,
                                         fmt::format("{} is listed under {} too", api, algorithm_name(other)),
                                         "an API has one algorithm; remove it from one of the lists");
                        }
                      }});
  }
  reader.map(node, fields);
}

void read_levels(const Reader& reader, const Node& node, Standards& s) {
  const auto level = [&](int number) {
    return [&, number](const Node& list) {
      for (const std::string& api : reader.names(list)) {
        if (s.level_of_api.add(api, number)) continue;
        const int other = *s.level_of_api.find_entry(api);
        throw error_at(reader.path(), list, fmt::format("{} is listed under L{} too", api, other),
                       "an API has one level; remove it from one of the lists");
      }
    };
  };
  reader.map(node, {{"L1", level(1)}, {"L2", level(2)}});
}

void read_level_limits(const Reader& reader, const Node& node, Standards& s) {
  const auto limits = [&](LevelLimits& out) {
    return [&](const Node& n) {
      const auto number = [&](double& value) { return [&](const Node& v) { value = reader.number(v); }; };
      reader.map(n, {{"small_value_ratio", number(out.small_value_ratio)},
                     {"rmse_ratio", number(out.rmse_ratio)},
                     {"max_relative_ratio", number(out.max_relative_ratio)},
                     {"mean_relative_ratio", number(out.mean_relative_ratio)},
                     {"balance_ratio", number(out.balance_ratio)}});
    };
  };
  reader.map(node, {{"L0", limits(s.levels[0])}, {"L1", limits(s.levels[1])}, {"L2", limits(s.levels[2])}});
}

void read_compare(const Reader& reader, const Node& node, Standards& s) {
  const auto number = [&](double& out) { return [&](const Node& n) { out = reader.number(n); }; };
  reader.map(node,
             {
                 {"algorithms", [&](const Node& n) { read_algorithms(reader, n, s); }},
                 {"levels", [&](const Node& n) { read_levels(reader, n, s); }},
                 {"level_limits", [&](const Node& n) { read_level_limits(reader, n, s); }},
                 {"ulp_share_pass_half", number(s.ulp_share_pass_half)},
                 {"ulp_share_pass_single", number(s.ulp_share_pass_single)},
                 {"ulp_mean_pass_single", number(s.ulp_mean_pass_single)},
                 {"ulp_ratio_pass", number(s.ulp_ratio_pass)},
                 {"thousandth_pass", number(s.thousandth_pass)},
                 {"accumulative_small_value", number(s.accumulative_small_value)},
                 {"accumulative_bound", [&](const Node& n) { s.accumulative_bound = reader.numbers_by_dtype(n); }},
                 {"accumulative_balance", [&](const Node& n) { s.accumulative_balance = reader.numbers_by_dtype(n); }},
             });
}

void read_dtype_defaults(const Reader& reader, const Node& node, Standards& s) {
  if (node.kind == Node::Kind::kNull) return;
  reader.each(node, [&](const Node& api) {
    reader.each(api, [&](const Node& parameter) {
      const std::string rule = as_text(reader.path(), parameter);
      const auto known = std::find(kDtypeDefaultNames.begin(), kDtypeDefaultNames.end(), rule);
      if (known == kDtypeDefaultNames.end()) {
        throw error_at(reader.path(), parameter,
                       fmt::format("found {}, expected a rule for a default", describe(parameter)),
                       fmt::format("write one of \"{}\"", fmt::join(kDtypeDefaultNames, "\", \"")));
      }
      const auto value = static_cast<DtypeDefault>(known - kDtypeDefaultNames.begin());
      if (!s.dtype_defaults.add(api.key, {parameter.key, value})) {
        throw error_at(reader.path(), parameter, api.key + " has a parameter already", "write one parameter an API");
      }
    });
  });
}

}  // namespace

std::string_view algorithm_name(Algorithm algorithm) {
  return kAlgorithmNames[static_cast<size_t>(algorithm)];
}

const DtypeLimits& Standards::limits(std::string_view dtype, Profile profile) const {
  if (dtype.starts_with("torch.")) dtype.remove_prefix(6);
  const auto& table = profile == Profile::kMindstudio ? mindstudio : documented;
  const auto found = table.find(dtype);
  return found != table.end() ? found->second : table.find(std::string_view("float32"))->second;
}

Algorithm Standards::algorithm(const ApiNames& api) const {
  const Algorithm* listed = algorithm_of_api.find(api);
  return listed == nullptr ? Algorithm::kBenchmark : *listed;
}

int Standards::level(const ApiNames& api) const {
  const int* listed = level_of_api.find(api);
  return listed == nullptr ? 0 : *listed;
}

namespace {

/// Sections that files written for an earlier version lack; they are then the installed file's.
constexpr std::string_view kAssessment = "assessment", kJumps = "jumps";

std::set<std::string, std::less<>> optional_sections() {
  std::set<std::string, std::less<>> sections = listed_facts();
  sections.emplace(kAssessment);
  sections.emplace(kJumps);
  return sections;
}

AssessmentLimits installed_assessment() {
  const std::string path = installed_config("precision_standard.yaml");
  const Node document = read_document(path);
  const Node* section = document.find(kAssessment);
  if (section == nullptr) throw Error(path, "assessment is missing", "install msprobe's files again");
  AssessmentLimits limits{};
  read_assessment(Reader(path), *section, limits);
  return limits;
}

}  // namespace

Standards load_standards(const std::string& path) {
  const Node document = read_document(path);
  const Reader reader(path);
  Standards s{};
  s.path = path;
  const auto names = [&](auto& out) { return [&](const Node& n) { out = reader.names(n); }; };
  const auto texts = [&](auto& out) { return [&](const Node& n) { out = reader.texts(n); }; };
  reader.map(document,
             {
                 {"dtypes", [&](const Node& n) { read_dtypes(reader, n, s); }},
                 {"acc_check", [&](const Node& n) { read_acc_check(reader, n, s); }},
                 {kAssessment, [&](const Node& n) { read_assessment(reader, n, s.assessment); }},
                 {"api_precision_compare", [&](const Node& n) { read_compare(reader, n, s); }},
                 {"quantization_apis", names(s.quantization_apis)},
                 {"index_apis", names(s.index_apis)},
                 {"skip_apis", names(s.skip_apis)},
                 {"random_apis", names(s.random_apis)},
                 {"random_by_argument", texts(s.random_by_argument)},
                 {"random_without_argument", texts(s.random_without_argument)},
                 {"random_below_one", texts(s.random_below_one)},
                 {"no_backward_apis", names(s.no_backward_apis)},
                 {"not_raised", names(s.not_raised)},
                 {"dtype_defaults", [&](const Node& n) { read_dtype_defaults(reader, n, s); }},
                 {"judged_outputs", [&](const Node& n) { s.judged_outputs = reader.counts(n); }},
                 {"removed_apis", names(s.removed_apis)},
                 {"unsupported", texts(s.unsupported)},
                 {kJumps, [&](const Node& n) { s.jumps = read_jumps(path, n); }},
             },
             optional_sections());
  std::set<std::string, std::less<>> given;
  for (const Node& section : document.children) given.insert(section.key);
  if (!given.contains(kAssessment)) s.assessment = installed_assessment();
  if (!given.contains(kJumps)) s.jumps = installed_jumps();
  const auto left_out = [&](const std::string& section) { return !given.contains(section); };
  if (std::any_of(listed_facts().begin(), listed_facts().end(), left_out))
    fill_listed_facts(installed_api_facts(), given, s);
  return s;
}

}  // namespace msprobe::config
