#include "options/generate.h"

#include <fmt/format.h>

#include <algorithm>

#include "options/help.h"
#include "options/values.h"

namespace msprobe::options {
namespace {

/// Text as roff takes it: minus signs that can be copied, no line that starts with a request.
std::string roff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += fmt::format("\\&{}", c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string option_paragraphs(Command command) {
  std::string text;
  for (const Option* option : options_of(command)) {
    text += fmt::format(".TP\n.B {}\n{}", roff(usage_of(*option)), roff(option->help));
    if (!option->initial.empty()) text += fmt::format(" [{}]", roff(option->initial));
    text += '\n';
  }
  return text;
}

}  // namespace

std::string manual_page() {
  std::string text =
      ".TH MSPROBE 1\n.SH NAME\nmsprobe \\- accuracy check of the PyTorch APIs that a training step called\n.SH "
      "SYNOPSIS\n";
  for (const CommandInfo& command : commands()) {
    text += fmt::format(".B msprobe {}\n.RI [ options ]\n.br\n", roff(command.name));
  }
  text +=
      ".SH DESCRIPTION\nEach API of a recorded training step (dump.json) is run again on an NPU, GPU or CPU and "
      "compared with "
      "float64 on the\nCPU. Unambiguous beginnings of option names are understood; of an option given twice, the last "
      "one counts.\n";
  for (const CommandInfo& command : commands()) {
    text += fmt::format(".SH {}\n{}\n.PP\n.nf\n{}\n", roff(command.name), roff(command.summary), roff(command.usual));
    for (std::string_view example : command.examples) text += fmt::format("{}\n", roff(example));
    text += ".fi\n" + option_paragraphs(command.command);
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitInfo& exit : exit_codes(Command::kAccCheck)) {
    text += fmt::format(".TP\n.B {}\n{}: {}\n", exit.code, roff(exit.meaning), roff(exit.example));
  }
  text +=
      ".SH ENVIRONMENT\n.TP\n.B MSPROBE_CONFIG\na configuration file instead of the installed one\n.TP\n.B "
      "MSPROBE_CONFIG_DIR\n"
      "the folder of the installed files\n.TP\n.B MSPROBE_TORCH_NPU\ntorch_npu's folder or libtorch_npu.so\n.TP\n.B "
      "NO_COLOR\n"
      "no colour\n";
  return text;
}

std::string bash_completion() {
  std::vector<std::string_view> names;
  for (const CommandInfo& command : commands()) names.push_back(command.name);
  std::string text = fmt::format(
      "# bash completion for msprobe\n_msprobe() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} "
      "before=${{COMP_WORDS[COMP_CWORD-1]}} command= w\n"
      "  for w in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n    case $w in {}) command=$w; break ;; esac\n  done\n"
      "  case $before in\n    --device_type) COMPREPLY=($(compgen -W 'npu cuda cpu' -- \"$word\")); return ;;\n"
      "    --fail-on) w='error warning skip suspect'; [[ $command == diff ]] && w=worse\n"
      "      COMPREPLY=($(compgen -W \"$w\" -- \"$word\")); return ;;\n  esac\n"
      "  local words=\n  case $command in\n    '') words='{} --help --version' ;;\n",
      fmt::join(names, "|"), fmt::join(names, " "));
  for (const CommandInfo& command : commands()) {
    std::vector<std::string_view> options;
    for (const Option* option : options_of(command.command)) {
      if (option->positional) continue;
      options.insert(options.end(), option->aliases.begin(), option->aliases.end());
      options.push_back(option->name);
    }
    text += fmt::format("    {}) words='{}' ;;\n", command.name, fmt::join(options, " "));
  }
  text +=
      "  esac\n  if [[ -z $command || $word == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); fi\n}\n"
      "complete -o default -F _msprobe msprobe\n";
  return text;
}

std::string generate(std::string_view kind) {
  return one_of(kind, {"man", "complete-bash"}) == "man" ? manual_page() : bash_completion();
}

}  // namespace msprobe::options
