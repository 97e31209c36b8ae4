#include "options/commands.h"

#include <fmt/format.h>

#include "options/values.h"

namespace msprobe::options {

std::string Commands::rerun_command(const std::string& result_csv) const {
  return fmt::format("{} --rerun-failed {}", repeat, shell_quoted(result_csv));
}

std::string Commands::resume_command(const std::string& result_csv) const {
  return fmt::format("{} -csv_path {}", resume, shell_quoted(result_csv));
}

}  // namespace msprobe::options
