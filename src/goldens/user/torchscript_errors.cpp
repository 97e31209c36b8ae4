#include "goldens/user/torchscript_errors.h"

#include <cstdlib>
#include <string_view>

namespace msprobe::goldens {
namespace {

// LibTorch writes: File "x.py", line 3. The last is the innermost.
std::string place_in(const std::string& text, const std::string& otherwise) {
  const size_t file = text.rfind("File \"");
  const size_t line = file == std::string::npos ? file : text.find("\", line ", file);
  if (line == std::string::npos) return otherwise;
  // The end of a line counts as the begin of the next one there.
  const int number = std::atoi(text.c_str() + line + 8) - (text.find("found 'newline'") != std::string::npos ? 1 : 0);
  return text.substr(file + 6, line - file - 6) + ":" + std::to_string(number);
}

}  // namespace

std::string first_sentence(std::string text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.erase(0, 1);
  // What follows names the place again, with the source around it.
  for (const char* mark : {":\n  File \"", "\n  File \"", "\nException raised from"})
    if (const size_t at = text.find(mark); at != std::string::npos) text.resize(at);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == ':')) text.pop_back();
  return text;
}

void rethrow_compiler(const std::string& what, const UserOperator& op) {
  throw NotCompiled(place_in(what, op.file) + ": " + first_sentence(what));
}

void rethrow_interpreter(const std::string& what, const UserOperator& op) {
  constexpr std::string_view kRaised = "\nRuntimeError: ";
  const size_t raised = what.rfind(kRaised);
  std::string words = raised == std::string::npos ? first_sentence(what) : what.substr(raised + kRaised.size());
  // An exception that the golden itself raises comes as "torch.jit.Error: Raise: ..." or with its class.
  throw std::runtime_error(place_in(what, op.file) + ": " + first_sentence(words));
}

}  // namespace msprobe::goldens
