#include "util/search_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

extern char** environ;

namespace msprobe::util {
namespace {

constexpr const char* kDefaultPath = "/usr/bin:/bin";

std::vector<std::string> entries(const std::string& list, const std::function<bool(const std::string&)>& wanted) {
  std::vector<std::string> kept;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    std::string entry = list.substr(begin, end - begin);
    if (wanted(entry)) kept.push_back(std::move(entry));
    begin = end + 1;
  }
  return kept;
}

std::vector<std::string> absolute_folders() {
  const char* path = std::getenv("PATH");
  return entries(path != nullptr ? path : kDefaultPath, [](const std::string& entry) { return entry[0] == '/'; });
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ":") + part;
  return text;
}

}  // namespace

bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string program_in_path(const std::string& name) {
  for (const auto& folder : absolute_folders())
    if (const std::string path = folder + "/" + name; is_program(path)) return path;
  return "";
}

std::string python_path() {
  const char* path = std::getenv("PYTHONPATH");
  return joined(entries(path != nullptr ? path : "", [](const std::string& entry) { return !entry.empty(); }));
}

std::vector<std::string> python_environment(const std::vector<std::string>& more) {
  std::vector<std::string> replaced{"PATH=" + joined(absolute_folders())};
  if (const std::string path = python_path(); !path.empty()) replaced.push_back("PYTHONPATH=" + path);
  replaced.insert(replaced.end(), more.begin(), more.end());
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable, name = text.substr(0, text.find('=') + 1);
    bool stays = name != "PYTHONPATH=";
    for (const auto& other : replaced) stays = stays && other.compare(0, name.size(), name) != 0;
    if (stays) all.push_back(text);
  }
  all.insert(all.end(), replaced.begin(), replaced.end());
  return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace msprobe::util
