// Every option of the command line, declared once: parsing, help and the rewriting of older spellings all read this
// table.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "options/request.h"

namespace msprobe::options {

enum class Takes { kNothing, kOne, kSome };

struct Option {
  std::string_view name;                       ///< the long name, "--out_path"
  std::vector<std::string_view> aliases = {};  ///< other spellings, "-o", "-csv_path"
  unsigned commands = 0;                       ///< bits of the subcommands that take it: in(Command)
  std::string_view group = {};                 ///< heading in the help
  Takes takes = Takes::kNothing;
  std::string_view value = {};    ///< what stands for the value in the help, "DIR"
  std::string_view help = {};     ///< one line, at most 44 columns with the default
  std::string_view initial = {};  ///< default, as the help shows it; empty: none worth showing
  bool required = false;
  bool mindstudio = false;    ///< MindStudio msprobe has it: its unambiguous beginnings stay unambiguous (compat.h)
  bool positional = false;    ///< its values stand without a name; one such option a subcommand
  bool bare = false;          ///< its value may stand without its name too; one such option a subcommand
  bool counts = false;        ///< may be given several times (-vv); else the last one wins
  std::string_view key = {};  ///< of Settings::origin
  /// Puts the values into the request. Throws Error for a value that does not fit; its `where` is filled in by the
  /// caller.
  void (*apply)(Request& request, const std::vector<std::string>& values) = nullptr;
};

struct CommandInfo {
  Command command;
  std::string_view name;
  std::string_view summary;                ///< what it does, one line
  std::string_view usual;                  ///< the usual command
  std::vector<std::string_view> examples;  ///< one for what the usual command does not show
};

constexpr unsigned in(Command command) {
  return 1u << static_cast<int>(command);
}

const std::vector<Option>& options();
const std::vector<CommandInfo>& commands();
const CommandInfo& info(Command command);
/// Options of one subcommand, in the table's order.
std::vector<const Option*> options_of(Command command);

}  // namespace msprobe::options
