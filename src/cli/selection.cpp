#include "cli/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <regex>
#include <set>
#include <unordered_set>

#include "report/csv_reader.h"
#include "util/error.h"

namespace msprobe::cli {
namespace {

using dump::Argument;

constexpr double kCallCost = 1e4;  // what an API costs whatever its size

void append(std::string& out, const Argument& argument);

void append(std::string& out, const dump::ArgumentList& list) {
  out += '[';
  for (const Argument& item : list) append(out, item);
  out += ']';
}

void append_text(std::string& out, char kind, std::string_view text) {
  out += fmt::format("{}{}:{},", kind, text.size(), text);
}

struct Writer {
  std::string& out;
  void operator()(const dump::NoneArg&) const { out += "N,"; }
  void operator()(const dump::OpaqueArg&) const { out += "O,"; }
  void operator()(bool value) const { out += value ? "T," : "F,"; }
  void operator()(int64_t value) const { out += fmt::format("i{},", value); }
  void operator()(const dump::BigIntArg& value) const { append_text(out, 'I', value.digits); }
  void operator()(double value) const { out += fmt::format("d{},", value); }
  void operator()(const std::string& value) const { append_text(out, 's', value); }
  void operator()(const dump::EllipsisArg&) const { out += "E,"; }
  void operator()(const dump::DtypeArg& value) const { append_text(out, 't', value.name); }
  void operator()(const dump::DeviceArg& value) const { append_text(out, 'v', value.name); }
  void operator()(const dump::MemoryFormatArg& value) const { append_text(out, 'm', value.name); }
  void operator()(const dump::SliceArg& value) const {
    out += 'S';
    append(out, value.parts);
  }
  void operator()(const dump::ListArg& value) const {
    if (value.is_size) out += 'Z';
    append(out, value.items);
  }
  void operator()(const dump::DictArg& value) const {
    out += '{';
    for (const auto& [name, item] : value.items) {
      append_text(out, 'k', name);
      append(out, item);
    }
    out += '}';
  }
  void operator()(const dump::TensorMeta& value) const {
    append_text(out, 'D', value.dtype);
    out += fmt::format("({}){}{}", fmt::join(value.shape, ","), value.type, value.requires_grad ? "g," : ",");
  }
  void operator()(const dump::UnknownArg& value) const { append_text(out, '?', value.text); }
};

void append(std::string& out, const Argument& argument) {
  if (!argument.numpy_type.empty()) append_text(out, 'n', argument.numpy_type);
  std::visit(Writer{out}, argument.value);
}

double elements(const dump::ArgumentList& list);

double elements(const Argument& argument) {
  if (const auto* tensor = argument.get_if<dump::TensorMeta>()) {
    return std::accumulate(tensor->shape.begin(), tensor->shape.end(), 1.0, std::multiplies<>());
  }
  if (const auto* list = argument.get_if<dump::ListArg>()) return elements(list->items);
  if (const auto* dict = argument.get_if<dump::DictArg>()) {
    double sum = 0;
    for (const auto& item : dict->items) sum += elements(item.second);
    return sum;
  }
  return 0;
}

double elements(const dump::ArgumentList& list) {
  double sum = 0;
  for (const Argument& item : list) sum += elements(item);
  return sum;
}

[[noreturn]] void nothing_left(std::string_view option, std::string_view value, const dump::Index& index) {
  throw Error(std::string(option),
              fmt::format("\"{}\" leaves none of the {} APIs of {}", value, index.entries().size(), index.path()),
              "msprobe acc_check -api_info FILE --list shows their names");
}

void keep(std::vector<size_t>& selected, const dump::Index& index, const auto& wanted) {
  std::erase_if(selected, [&](size_t i) { return !wanted(std::string(index.entries()[i].api)); });
}

/// A record that cannot be read is one API's trouble: it becomes a SKIP row when its turn comes.
std::optional<dump::Record> readable(const dump::Index& index, size_t i) {
  try {
    return index.read(i);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> failed_apis(const std::string& result_csv) {
  const report::Table table =
      report::read_table(result_csv, {"API name", "Forward Test Success", "Backward Test Success"});
  const int name = table.column("API name");
  const int columns[] = {table.column("Forward Test Success"), table.column("Backward Test Success")};
  std::vector<std::string> failed;
  for (const auto& row : table.rows) {
    const bool bad = std::any_of(std::begin(columns), std::end(columns),
                                 [&](int column) { return row[column] == "error" || row[column] == "warning"; });
    if (bad) failed.emplace_back(row[name]);
  }
  return failed;
}

std::string structure_of(const dump::Record& record) {
  std::string out = record.name.type + "." + record.name.name + (record.backward ? " both " : " forward ");
  append(out, record.forward.args);
  for (const auto& [name, argument] : record.forward.kwargs) {
    append_text(out, 'k', name);
    append(out, argument);
  }
  return out;
}

double estimated_cost(const dump::Record& record) {
  double sum = elements(record.forward.args);
  for (const auto& kwarg : record.forward.kwargs) sum += elements(kwarg.second);
  if (record.forward.output) sum += elements(*record.forward.output);
  return kCallCost + (record.backward ? 3 : 1) * sum;
}

std::vector<size_t> part_of(const std::vector<double>& costs, int shard, int shards) {
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  std::set<std::pair<double, int>> loads;
  for (int part = 0; part < shards; ++part) loads.insert({0.0, part});
  std::vector<size_t> mine;
  for (size_t i : order) {
    const auto [load, part] = *loads.begin();
    loads.erase(loads.begin());
    loads.insert({load + costs[i], part});
    if (part == shard) mine.push_back(i);
  }
  std::sort(mine.begin(), mine.end());
  return mine;
}

std::vector<size_t> select_apis(const dump::Index& index, const config::Settings& settings) {
  std::vector<size_t> selected(index.entries().size());
  std::iota(selected.begin(), selected.end(), size_t{0});

  if (!settings.only.empty()) {
    const std::regex pattern(settings.only);
    keep(selected, index, [&](const std::string& api) { return std::regex_search(api, pattern); });
    if (selected.empty()) nothing_left("--only", settings.only, index);
  }
  if (!settings.except.empty()) {
    const std::regex pattern(settings.except);
    keep(selected, index, [&](const std::string& api) { return !std::regex_search(api, pattern); });
    if (selected.empty()) nothing_left("--except", settings.except, index);
  }
  if (!settings.rerun_failed.empty()) {
    const std::vector<std::string> failed = failed_apis(settings.rerun_failed);
    const std::unordered_set<std::string> wanted(failed.begin(), failed.end());
    keep(selected, index, [&](const std::string& api) { return wanted.contains(api); });
    if (selected.empty() && !failed.empty()) nothing_left("--rerun-failed", settings.rerun_failed, index);
  }
  if (settings.filter_api) {
    std::unordered_set<std::string> seen;
    std::erase_if(selected, [&](size_t i) {
      const std::optional<dump::Record> record = readable(index, i);
      return record && !seen.insert(structure_of(*record)).second;
    });
  }
  if (settings.shards > 1) {
    std::vector<double> costs;
    costs.reserve(selected.size());
    for (size_t i : selected) {
      const std::optional<dump::Record> record = readable(index, i);
      costs.push_back(record ? estimated_cost(*record) : kCallCost);
    }
    std::vector<size_t> mine;
    for (size_t i : part_of(costs, settings.shard, settings.shards)) mine.push_back(selected[i]);
    selected = std::move(mine);
  }
  return selected;
}

std::vector<size_t> without_done(const dump::Index& index, std::vector<size_t> selected,
                                 const std::vector<std::string>& done, const std::string& result_path) {
  std::unordered_set<std::string_view> known;
  for (const dump::IndexEntry& entry : index.entries()) known.insert(entry.api);
  for (const std::string& api : done) {
    if (!known.contains(api)) {
      throw Error(
          result_path,
          fmt::format("holds a row of {}, which {} does not have: it was made from another dump", api, index.path()),
          "name the dump.json of that run with -api_info");
    }
  }
  const std::unordered_set<std::string_view> finished(done.begin(), done.end());
  std::erase_if(selected, [&](size_t i) { return finished.contains(index.entries()[i].api); });
  return selected;
}

}  // namespace msprobe::cli
