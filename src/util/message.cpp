#include "util/message.h"

#include "util/error.h"
#include "util/one_line.h"

namespace msprobe::util {

std::string message_of(const std::exception& error) {
  const auto* own = dynamic_cast<const Error*>(&error);
  if (own == nullptr) return one_line(error.what());
  std::string text = own->where().empty() ? own->message() : own->where() + ": " + own->message();
  if (!own->remedy().empty()) text += "; " + own->remedy();
  return one_line(text);
}

}  // namespace msprobe::util
