// The options of a run as its result file keeps them, one `key=value` a line (ResultFiles::set_options), read again.
// plan/option_record.h makes them.
#pragma once
#include <string>
#include <vector>

namespace msprobe::report {

struct OptionDifference {
  std::string key, then, now;
  /// "seed: 1234 then, 99 now"
  std::string text() const;
};
/// The options that both records know and that differ; none for an empty record.
std::vector<OptionDifference> option_differences(const std::string& then, const std::string& now);

/// The value of one key; empty when it is not there.
std::string recorded_option(const std::string& record, const std::string& key);
/// The record with another value of a key.
std::string with_option(const std::string& record, const std::string& key, const std::string& value);

/// The record of a result file; empty when there is no such file, or nothing is known of it.
std::string options_of_file(const std::string& result_path);

}  // namespace msprobe::report
