// api_precision_compare: judges the figures of an NPU's details file by those of a GPU's, output by output, and writes
// api_precision_compare_details_{timestamp}.csv and api_precision_compare_result_{timestamp}.csv.
//
// What is judged how: docs/compare.md. Limits, levels and the algorithm of an API come from precision_standard.yaml.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/options.h"
#include "outcome/row.h"
#include "report/assessment_tally.h"
#include "report/tally.h"
#include "util/error.h"

namespace msprobe::compare {

/// An API with an output that failed, or that passed and is a suspect, for the screen.
struct FailingApi {
  std::string output;  ///< `Torch.mul.0.forward.output.0`: the first that failed, of suspects the first one
  std::string dtype;   ///< of the NPU
  std::string reasons;  ///< `均方根误差比值 40 > 2 (L0)`, whatever the profile; of a pass: its assessment's clause
  int64_t others = 0;  ///< outputs of the same API that failed too
  outcome::Assessment assessment = outcome::Assessment::kNone;
};

struct CompareReport {
  std::string result_path, details_path;
  std::string npu_csv, gpu_csv;                          ///< the files read
  std::array<int64_t, report::Tally::kStatuses> rows{};  ///< outputs by outcome::Status
  report::Tally apis;                                    ///< APIs by verdict and direction
  int64_t missing_in_gpu = 0;                            ///< outputs of the NPU that the GPU's file lacks
  int64_t missing_in_npu = 0;                            ///< and the other way round: they are left out
  int64_t failing_apis = 0;
  std::vector<FailingApi> failing;                       ///< the first of them: suspects, then others, in file order
  std::vector<FailingApi> suspects;                      ///< the first outputs that passed and are suspects
  report::AssessmentTally assessments;                   ///< of outputs
  std::vector<std::pair<std::string, int64_t>> skipped;  ///< why outputs were skipped, most often first
};

/// The results cannot be written: the input was read and judged.
class OutputError : public Error {
  using Error::Error;
};

/// Reads, judges, writes. Throws Error when the input cannot be used (a file missing or unreadable, columns missing,
/// duplicate names; see docs/compare.md) and OutputError when the results cannot be written; no file is left then.
CompareReport run(const Options& options);

/// What `--fail-on STATUS` asks: `error`, `warning` (or worse), `skip` (or worse), `suspect` (an error that nothing
/// explains, or a pass that the NPU's file suspects). A run that judged nothing fails too.
bool fails_on(const CompareReport& report, std::string_view status);

/// For the screen: counts by verdict, the failing APIs with figure beside limit, why outputs were skipped, the paths.
/// `brief`: counts and paths only. Names are cut so that lines fit `width` columns.
std::string summary(const CompareReport& report, bool brief, bool coloured, size_t width);

}  // namespace msprobe::compare
