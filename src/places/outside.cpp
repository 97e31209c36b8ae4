#include "places/outside.h"

#include <utility>
#include <vector>

#include "config/document.h"

namespace msprobe::places {

Outside Outside::read(const std::string& path) {
  const config::Node document = config::read_document(path);
  const config::Node* list = document.find("outside");
  if (list == nullptr) throw Error(path, "has no \"outside\", a list of folders", "install msprobe's files again");
  const std::vector<std::string> folders = config::as_text_list(path, *list);
  return Outside({folders.begin(), folders.end()});
}

bool Outside::has(std::string_view file) const {
  size_t begin = 0;
  for (size_t end; (end = file.find_first_of("/\\", begin)) != std::string_view::npos; begin = end + 1)
    if (folders_.contains(file.substr(begin, end - begin))) return true;
  return false;
}

}  // namespace msprobe::places
