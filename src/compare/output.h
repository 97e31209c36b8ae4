// The two files of api_precision_compare, whole or not at all.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "compare/api_verdicts.h"
#include "compare/judge_row.h"
#include "config/settings.h"
#include "util/atomic_file.h"

namespace msprobe::compare {

/// Both are written under temporary names; commit() puts them in place, and without it nothing stays. The timestamp is
/// now, or the next second for which no file of either name exists. Members throw OutputError.
class Output {
 public:
  Output(const std::string& folder, int precision, config::Profile profile);
  ~Output();

  void add_row(std::string_view name, const RowVerdict& verdict);
  void add_api(const ApiVerdict& verdict);
  void commit();
  const std::string& details_path() const { return details_path_; }
  const std::string& result_path() const { return result_path_; }

 private:
  struct Buffered;
  void append_message(std::string& text, const std::string& message) const;

  int precision_;
  config::Profile profile_;
  std::string details_path_, result_path_;
  std::unique_ptr<Buffered> details_, result_;
};

}  // namespace msprobe::compare
