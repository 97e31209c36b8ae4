#include "options/compat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "config/mindstudio_facts.h"
#include "util/edit_distance.h"
#include "util/error.h"

namespace msprobe::options {
namespace {

/// An option met on the command line, with the value that was joined to it.
struct Hit {
  const Option* option;
  std::optional<std::string> joined;
};

std::string underscores(std::string_view text) {
  std::string result(text);
  if (result.size() > 2) std::replace(result.begin() + 2, result.end(), '-', '_');
  return result;
}

/// All spellings of an option: "--out_path", "-o".
std::vector<std::string_view> spellings(const Option& option) {
  std::vector<std::string_view> all = option.aliases;
  all.push_back(option.name);
  return all;
}

/// argparse takes -1 and -0.5 for values, since no option looks like a number; nor does one look like -1/4.
bool starts_like_a_number(std::string_view text) {
  text.remove_prefix(1);
  if (text[0] == '.') text.remove_prefix(1);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0]));
}

bool looks_like_option(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && !starts_like_a_number(text);
}

class Rewriter {
 public:
  explicit Rewriter(Command command) : command_(command), options_(options_of(command)) {}

  std::vector<std::string> run(const std::vector<std::string>& arguments) {
    for (size_t i = 0; i < arguments.size();) {
      const std::string& argument = arguments[i++];
      if (const Option* positional = positional_option(); positional && !looks_like_option(argument)) {
        check_not_empty(info(command_).name, *positional, argument);
        positional_values_.push_back(argument);
        continue;
      }
      if (const Option* bare = bare_option(); bare && !looks_like_option(argument)) {
        check_not_empty(info(command_).name, *bare, argument);
        put_bare(bare, argument);
        continue;
      }
      if (!looks_like_option(argument) || argument == "--") {
        throw Error("", fmt::format("unexpected argument \"{}\"", argument),
                    fmt::format("msprobe {} -h shows the options", info(command_).name));
      }
      for (const Hit& hit : hits(argument)) {
        std::vector<std::string> values;
        if (hit.joined) values.push_back(*hit.joined);
        const bool wants_more = hit.option->takes != Takes::kNothing && !hit.joined;
        const size_t limit = !wants_more ? 0 : hit.option->takes == Takes::kOne ? 1 : arguments.size();
        while (values.size() < limit && i < arguments.size() && !looks_like_option(arguments[i])) {
          values.push_back(arguments[i++]);
        }
        if (wants_more && values.empty()) {
          throw Error("", fmt::format("{} needs a value {}", argument, hit.option->value));
        }
        for (const std::string& value : values)
          check_not_empty(std::string_view(argument).substr(0, argument.find('=')), *hit.option, value);
        if (hit.option->bare && bare_value_ && values != std::vector{*bare_value_}) refuse_two(*hit.option, values[0]);
        put(hit.option, values);
      }
    }
    return flatten();
  }

 private:
  void put_bare(const Option* option, const std::string& value) {
    for (const auto& [earlier, values] : given_)
      if (earlier == option && values != std::vector{value}) refuse_two(*option, value);
    bare_value_ = value;
    put(option, {value});
  }
  [[noreturn]] void refuse_two(const Option& option, const std::string& second) const {
    std::string first;
    for (const auto& [earlier, values] : given_)
      if (earlier == &option) first = values[0];
    throw Error("", fmt::format("two dumps are named, {} and {}", first, second), "give one of them");
  }

  /// An empty text would count as "not given", and do something else than what was meant: a new run, say, where one was
  /// to be resumed.
  static void check_not_empty(std::string_view name, const Option& option, const std::string& value) {
    if (!value.empty()) return;
    throw Error("", fmt::format("{} needs {}, found an empty text (an unset shell variable?)", name, option.value),
                "give a value, or leave it out");
  }

  /// The option, or several (-fj), that `argument` names.
  std::vector<Hit> hits(const std::string& argument) const {
    if (const Option* exact = find(argument)) return {{exact, std::nullopt}};
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    std::optional<std::string> joined;
    if (equals != std::string::npos) joined = argument.substr(equals + 1);
    if (joined) {
      if (const Option* exact = find(name)) return {with_value(exact, name, *joined)};
    }
    if (const Option* option = by_beginning(name)) {
      if (!joined) return {{option, std::nullopt}};
      return {with_value(option, name, *joined)};
    }
    if (argument[1] != '-') {
      if (find(argument.substr(0, 2))) return short_options(argument);
    }
    if (const std::string owner = owner_of(name); !owner.empty())
      throw Error("", fmt::format("unknown option {}", name), fmt::format("{} belongs to {}", name, owner));
    std::vector<std::string> known;
    for (const Option* option : options_) {
      for (std::string_view spelling : spellings(*option)) {
        if (name.size() > 2 && spelling.size() > 2) known.emplace_back(spelling);  // one letter is near every other
      }
    }
    throw Error("", fmt::format("unknown option {}{}", name, util::did_you_mean(name, known)));
  }

  /// "multi_acc_check": the subcommands that have an option of this spelling.
  static std::string owner_of(const std::string& name) {
    std::string owners;
    for (const CommandInfo& other : commands())
      if (Rewriter(other.command).find(name)) owners += (owners.empty() ? "" : ", ") + std::string(other.name);
    return owners;
  }

  /// -o/path, -d0, -fj, -jd0.
  std::vector<Hit> short_options(const std::string& argument) const {
    std::vector<Hit> found;
    for (size_t i = 1; i < argument.size(); ++i) {
      const std::string letter = std::string("-") + argument[i];
      const Option* option = find(letter);
      if (!option) {
        throw Error("", fmt::format("unknown option {} in {}", letter, argument),
                    fmt::format("{} takes no value", argument.substr(0, i)));
      }
      if (option->takes != Takes::kNothing) {
        if (i + 1 < argument.size()) {
          std::string value = argument.substr(i + 1);
          if (value[0] == '=') value.erase(0, 1);
          found.push_back({option, value});
        } else {
          found.push_back({option, std::nullopt});
        }
        break;
      }
      found.push_back({option, std::nullopt});
    }
    return found;
  }

  static Hit with_value(const Option* option, const std::string& name, const std::string& value) {
    if (option->takes == Takes::kNothing) throw Error("", fmt::format("{} takes no value, found \"{}\"", name, value));
    return {option, value};
  }

  /// Exact spelling; a long name after one dash counts too (-out_path).
  const Option* find(const std::string& spelling) const {
    const std::string wanted = underscores(spelling);
    for (const Option* option : options_) {
      for (std::string_view known : spellings(*option)) {
        if (underscores(known) == wanted) return option;
      }
      if (spelling.size() > 2 && spelling[1] != '-' &&
          underscores(option->name) == underscores(fmt::format("-{}", spelling)))
        return option;
    }
    return nullptr;
  }

  /// The one option of which `beginning` is a beginning; MindStudio's are looked at first. nullptr: none.
  const Option* by_beginning(const std::string& beginning) const {
    for (const bool mindstudio : {true, false}) {
      std::vector<std::string_view> names;
      std::vector<const Option*> matches;
      for (const Option* option : options_) {
        if (mindstudio && !option->mindstudio) continue;
        for (std::string_view known : spellings(*option)) {
          if (!underscores(known).starts_with(underscores(beginning))) continue;
          names.push_back(known);
          if (std::find(matches.begin(), matches.end(), option) == matches.end()) matches.push_back(option);
        }
      }
      if (matches.size() == 1) return matches[0];
      if (matches.size() > 1) {
        throw Error("", fmt::format("ambiguous option: {} could match {}", beginning, fmt::join(names, ", ")));
      }
    }
    return nullptr;
  }

  void put(const Option* option, std::vector<std::string> values) {
    if (!option->counts) {
      std::erase_if(given_, [&](const auto& earlier) { return earlier.first == option; });
    }
    given_.emplace_back(option, std::move(values));
  }

  const Option* positional_option() const {
    for (const Option* option : options_) {
      if (option->positional) return option;
    }
    return nullptr;
  }

  const Option* bare_option() const {
    for (const Option* option : options_) {
      if (option->bare) return option;
    }
    return nullptr;
  }

  std::vector<std::string> flatten() const {
    std::vector<std::string> result;
    for (const std::string& value : positional_values_) {
      result.emplace_back(positional_option()->name);
      result.push_back(value);
    }
    for (const auto& [option, values] : given_) {
      if (option->takes == Takes::kNothing) result.emplace_back(option->name);
      for (const std::string& value : values) {
        result.emplace_back(option->name);
        result.push_back(value);
      }
    }
    return result;
  }

  Command command_;
  std::vector<const Option*> options_;
  std::vector<std::string> positional_values_;
  std::optional<std::string> bare_value_;
  std::vector<std::pair<const Option*, std::vector<std::string>>> given_;
};

/// How many words from `i` on name the framework, which versions of MindStudio msprobe before 26 asked for.
size_t framework_words(const std::vector<std::string>& arguments, size_t i) {
  const std::string& word = arguments[i];
  const bool apart = word == "-f" || word == "--framework";
  if (!apart && !word.starts_with("--framework=") && !(word.starts_with("-f") && word.size() > 2)) return 0;
  const size_t equals = word.find('=');
  const std::string framework = apart                         ? (i + 1 < arguments.size() ? arguments[i + 1] : "")
                                : equals != std::string::npos ? word.substr(equals + 1)
                                                              : word.substr(2);
  if (framework != "pytorch")
    throw Error("", fmt::format("{} {}: only pytorch can be checked", apart ? word : "-f", framework));
  return apart ? 2 : 1;
}

/// Subcommands of MindStudio's Python package, which users of its acc_check know too.
void refuse_mindstudio_command(const std::string& word) {
  const auto known = config::installed_mindstudio_facts().commands;
  const auto found = known.find(word);
  if (found == known.end()) return;
  throw Error(
      "", fmt::format("{} is a command of the Python package mindstudio-probe, not of this program", word),
      found->second.empty() ? "run it with the msprobe that pip install mindstudio-probe brings" : found->second);
}

}  // namespace

Front split_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const CommandInfo& command : commands()) names.emplace_back(command.name);
  size_t i = 0;
  while (i < arguments.size()) {
    const std::string& word = arguments[i];
    if (word == "-h" || word == "--help" || word == "help") return {Front::Action::kHelp, {}, {}};
    if (word == "-V" || word == "--version") {
      return {Front::Action::kVersion, {}, {arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end()}};
    }
    if (word == "--generate") {
      return {Front::Action::kGenerate, {}, {i + 1 < arguments.size() ? arguments[i + 1] : std::string()}};
    }
    if (const size_t words = framework_words(arguments, i)) {
      i += words;
      continue;
    }
    for (const CommandInfo& command : commands()) {
      if (word == command.name) {
        return {Front::Action::kCommand,
                command.command,
                {arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end()}};
      }
    }
    if (word.starts_with("-")) {
      throw Error("", fmt::format("unknown option {} before the subcommand", word),
                  fmt::format("name one first: {}", fmt::join(names, ", ")));
    }
    refuse_mindstudio_command(word);
    const std::string meant = util::did_you_mean(word, names);
    throw Error("", fmt::format("unknown subcommand \"{}\"{}", word, meant),
                meant.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : "");
  }
  return {Front::Action::kHelp, {}, {}};
}

std::vector<std::string> canonical_arguments(Command command, const std::vector<std::string>& arguments) {
  return Rewriter(command).run(arguments);
}

}  // namespace msprobe::options
