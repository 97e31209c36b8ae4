#include "config/mindstudio_facts.h"

#include <fmt/format.h>

#include "config/document.h"
#include "config/settings.h"

namespace msprobe::config {

MindstudioFacts load_mindstudio_facts(const std::string& path) {
  const Node document = read_document(path);
  MindstudioFacts facts;
  for (const Node& section : document.children) {
    if (section.key == "commands") {
      for (const Node& command : section.children) facts.commands[command.key] = as_text(path, command);
    } else if (section.key == "mindspore_kinds") {
      for (std::string& kind : as_text_list(path, section)) facts.mindspore_kinds.insert(std::move(kind));
    } else {
      throw Error(fmt::format("{}:{}", path, section.key_line), "unknown key " + section.key,
                  "expected commands or mindspore_kinds");
    }
  }
  return facts;
}

MindstudioFacts installed_mindstudio_facts() {
  return load_mindstudio_facts(installed_config("mindstudio.yaml"));
}

}  // namespace msprobe::config
