#include "outcome/stage.h"

namespace msprobe::outcome {

std::string_view stage_text(Stage stage) {
  switch (stage) {
    case Stage::kRebuild:
      return " while its inputs were rebuilt";
    case Stage::kDeviceBackward:
      return " in backward";
    case Stage::kGolden:
      return " in the golden";
    case Stage::kGoldenBackward:
      return " in the golden's backward";
    case Stage::kComparison:
      return " in the comparison";
    case Stage::kUnknown:
    case Stage::kDevice:
      break;
  }
  return "";
}

}  // namespace msprobe::outcome
