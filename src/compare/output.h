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

struct OutputFormat {
  int precision;            ///< digits after the point
  config::Profile profile;  ///< mindstudio leaves a Message without text empty; all other blanks are one space
};

/// Appends a line of the details file, or of the result file.
void append_details_line(std::string& text, std::string_view name, const RowVerdict& verdict, OutputFormat format);
void append_result_line(std::string& text, const ApiVerdict& verdict, OutputFormat format);

/// Both are written under temporary names; commit() puts them in place, and without it nothing stays. The timestamp is
/// now, or the next second for which no file of either name exists. Members throw OutputError.
class Output {
 public:
  explicit Output(const std::string& folder);

  void write_details(std::string_view lines);
  void write_results(std::string_view lines);
  void commit();
  const std::string& details_path() const { return details_path_; }
  const std::string& result_path() const { return result_path_; }

 private:
  std::string details_path_, result_path_;
  std::unique_ptr<util::AtomicFile> details_, result_;
};

}  // namespace msprobe::compare
