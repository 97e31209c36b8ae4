// The name of every file and folder that a run writes or looks for: made here, and read again beside it.
// docs/formats.md lists them for users. Timestamps are those of util/timestamp.h.
//
// Temporary names of files on their way are util/atomic_file.h's own.
#pragma once
#include <string>
#include <string_view>

#include "util/timestamp.h"

namespace msprobe::report {

using util::timestamp_now;

/// accuracy_checking_{kind}_{timestamp}.csv, of kind "result" or "details".
std::string file_name(std::string_view kind, std::string_view timestamp);
/// The 14 digits of a name that file_name("result", ...) makes; empty when it is none.
std::string timestamp_of(std::string_view result_name);
/// Whether a name is that of a details file, whatever stands where a run puts its timestamp.
bool is_details_name(std::string_view name);
/// accuracy_checking_{timestamp}.log
std::string log_name(std::string_view timestamp);
/// api_precision_compare_{kind}_{timestamp}.csv
std::string compare_name(std::string_view kind, std::string_view timestamp);
/// accuracy_diff_{timestamp}.csv
std::string diff_name(std::string_view timestamp);

/// ut_error_data{timestamp}: the folder of a run's saved tensors.
std::string error_folder_name(std::string_view timestamp);
/// Files in it, without what numbers them: "{api}.forward.input.", ... ".backward.output.device.".
enum class Saved { kInput, kKeyword, kGoldenOutput, kDeviceOutput, kOutputGradient, kGoldenGradient, kDeviceGradient };
std::string saved_stem(const std::string& api, Saved what);

/// shard_{i}_of_{n}: the folder of one part of a run.
std::string shard_folder(int shard, int shards);
/// False when it is no name that shard_folder makes.
bool parse_shard_folder(const std::string& name, int& shard, int& shards);

/// `directory`/`name`; just the name in the current folder ("").
std::string joined(const std::string& directory, const std::string& name);

}  // namespace msprobe::report
