// Names of rows: `Torch.linalg.norm.0.forward.output.1` taken apart.
#pragma once
#include <string_view>

#include "config/settings.h"

namespace msprobe::compare {

enum class Direction { kForward, kBackward, kUnknown };

/// Views into the name.
struct RowName {
  bool valid = false;
  std::string_view api;   ///< `Torch.linalg.norm.0`
  std::string_view type;  ///< `Torch`
  std::string_view name;  ///< `linalg.norm`
  Direction direction = Direction::kUnknown;
};

/// A name is `<type>.<name, any number of parts>.<index>.<forward|backward>.output.<i>`, where i may have several parts
/// (nested outputs). Others are not valid. Profile mindstudio: names of one or two parts only; and six or seven parts
/// whose direction is another word are valid, with direction kUnknown, as MindStudio judges these.
RowName split_row_name(std::string_view name, config::Profile profile);

}  // namespace msprobe::compare
