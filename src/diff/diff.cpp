#include "diff/diff.h"

#include <algorithm>
#include <future>
#include <optional>
#include <string_view>

#include "config/declarations.h"
#include "diff/api_changes.h"
#include "diff/changes_file.h"
#include "diff/find.h"
#include "diff/moved.h"
#include "diff/rows.h"
#include "diff/verdict.h"

namespace msprobe::diff {
namespace {

/// Takes changed rows into the report and the file.
class Collector {
 public:
  Collector(DiffReport& report, const std::string& folder) : report_(report) {
    if (!folder.empty()) file_.emplace(folder);
  }

  void add(ChangedRow row) {
    if (file_) file_->add(row);
    auto& rows = report_.rows[static_cast<size_t>(row.change)];
    rows.push_back(std::move(row));
    if (rows.size() >= 2 * DiffReport::kKept) cut(rows);
  }

  void finish() {
    for (auto& rows : report_.rows) cut(rows);
    if (!file_) return;
    file_->commit();
    report_.csv_path = file_->path();
  }

 private:
  static void cut(std::vector<ChangedRow>& rows) {
    std::sort(rows.begin(), rows.end(), weighs_more);
    if (rows.size() > DiffReport::kKept) rows.erase(rows.begin() + DiffReport::kKept, rows.end());
  }

  DiffReport& report_;
  std::optional<ChangesFile> file_;
};

/// Options that make rows mean something else. Device and library are what is compared, and the number of APIs is
/// seen in the rows.
std::vector<report::OptionDifference> telling_differences(const std::string& before, const std::string& after) {
  std::vector<report::OptionDifference> all = report::option_differences(before, after);
  std::erase_if(all, [](const report::OptionDifference& difference) {
    for (const std::string_view expected : {"apis", "dump_bytes", "libtorch", "device_type"})
      if (difference.key == expected) return true;
    const config::Declaration* setting = config::find_recorded(difference.key);
    return setting != nullptr && setting->rows != config::Rows::kDepend;
  });
  return all;
}

/// The options say so where they are known, since a file in which everything passes looks assessed.
bool is_assessed(const std::string& options, const Rows& rows) {
  const std::string assess = report::recorded_option(options, "assess");
  if (assess == "false") return false;
  if (assess == "auto" && report::recorded_option(options, "precision_profile") == "mindstudio") return false;
  return rows.assessed();
}

std::string options_of(const Result& result) {
  return result.result.empty() ? std::string() : report::options_of_file(result.result);
}

/// Compares the rows of two files.
class Comparison {
 public:
  Comparison(const Rows& before, const Rows& after, std::string place, bool assessed, const Movement& movement)
      : before_(before), after_(after), place_(std::move(place)), assessed_(assessed), movement_(movement) {
    for (size_t i = 0; i < compared_.size(); ++i) compared_[i] = before.has_figure()[i] && after.has_figure()[i];
  }

  void run(DiffReport& report, Collector& collector) {
    for (uint32_t row = 0; row < after_.size(); ++row) {
      apis_.add(ApiChanges::Side::kNew, after_.name(row), after_.verdict(row));
      take(of_new_row(row), after_.name(row), report, collector);
    }
    for (uint32_t row = 0; row < before_.size(); ++row) {
      apis_.add(ApiChanges::Side::kOld, before_.name(row), before_.verdict(row));
      if (after_.find(before_.name(row)) == util::NameIndex::kNone)
        take(of_lost_row(row), before_.name(row), report, collector);
    }
    apis_.count(assessed_, report.apis);
  }

 private:
  /// Its name is left out as long as nothing is made of it.
  ChangedRow of_new_row(uint32_t row) const {
    ChangedRow changed;
    changed.after = after_.verdict(row);
    const uint32_t old = before_.find(after_.name(row));
    changed.change = Change::kOnlyNew;
    if (old != util::NameIndex::kNone) {
      changed.before = before_.verdict(old);
      changed.change = change_of(changed.before, changed.after, assessed_);
      if (is_judged(changed.before) && is_judged(changed.after))
        changed.moved = movement_.between(before_.figures(old), after_.figures(row), compared_, after_.dtype(row));
      if (changed.change == Change::kSame && !changed.moved.empty()) changed.change = Change::kMoved;
    }
    if (changed.change == Change::kSame) return changed;
    changed.dtype = after_.dtype(row);
    changed.message = after_.message(row);
    return changed;
  }

  ChangedRow of_lost_row(uint32_t row) const {
    ChangedRow changed;
    changed.before = before_.verdict(row);
    changed.change = Change::kOnlyOld;
    changed.dtype = before_.dtype(row);
    changed.message = before_.message(row);
    return changed;
  }

  static bool is_judged(const Verdict& verdict) {
    return verdict.status != outcome::Status::kSkip && verdict.status != outcome::Status::kBlank;
  }

  void take(ChangedRow changed, std::string_view name, DiffReport& report, Collector& collector) {
    ++report.outputs[static_cast<size_t>(changed.change)];
    if (!changed.moved.empty()) apis_.note_move(name);
    if (changed.change == Change::kSame) return;
    changed.place = place_;
    changed.name = name;
    collector.add(std::move(changed));
  }

  const Rows& before_;
  const Rows& after_;
  std::string place_;
  bool assessed_;
  const Movement& movement_;
  std::array<bool, outcome::kFigureCount> compared_{};
  ApiChanges apis_;
};

void compare(const Result& before, const Result& after, const Movement& movement, DiffReport& report,
             Collector& collector) {
  auto old_rows = std::async(std::launch::async | std::launch::deferred, Rows::read, std::cref(before.details));
  const Rows new_rows = Rows::read(after.details);
  const Rows rows = old_rows.get();
  const std::string then = options_of(before), now = options_of(after);
  PairOfResults pair{before.place, before.details, after.details, telling_differences(then, now)};
  pair.options_known = !then.empty() && !now.empty();
  pair.old_assessed = is_assessed(then, rows);
  pair.new_assessed = is_assessed(now, new_rows);
  Comparison(rows, new_rows, before.place, pair.old_assessed && pair.new_assessed, movement).run(report, collector);
  report.pairs.push_back(std::move(pair));
}

}  // namespace

DiffReport run(const Options& options) {
  Paired paired = pair_up(options.old_path, options.new_path);
  const Movement movement(options.limits, options.standards, options.limits_path);
  DiffReport report;
  report.places_only_old = std::move(paired.only_old);
  report.places_only_new = std::move(paired.only_new);
  Collector collector(report, options.out_path);
  for (const auto& [before, after] : paired.pairs) compare(before, after, movement, report, collector);
  collector.finish();
  return report;
}

bool fails_on_worse(const DiffReport& report) {
  const auto worse = static_cast<size_t>(Change::kWorse);
  return report.outputs[worse] + report.apis[worse] > 0 || report.compared() == 0;
}

}  // namespace msprobe::diff
