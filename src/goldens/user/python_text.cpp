#include "goldens/user/python_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace msprobe::goldens {
namespace {

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view first_name(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && is_name_char(text[n])) ++n;
  return text.substr(0, n);
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front())) != 0) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back())) != 0) s.remove_suffix(1);
  return s;
}

// The head of a function, from its "(" to the ":" that ends it.
class Head {
 public:
  // True as long as more lines belong to it.
  bool feed(std::string_view text) {
    for (size_t i = 0; i < text.size() && !done_; ++i) {
      const char c = text[i];
      if (quote_ != 0) {
        if (c == '\\')
          ++i;
        else if (c == quote_)
          quote_ = 0;
      } else if (c == '#') {
        break;
      } else if (c == '\'' || c == '"') {
        quote_ = c;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth_;
      } else if (c == ')' || c == ']' || c == '}') {
        --depth_;
      } else if (c == ':') {
        if (lambdas_ > 0)
          --lambdas_;
        else if (depth_ == 1)
          annotated_ = true;
        else if (depth_ == 0)
          done_ = true;
      } else if (is_name_char(c)) {
        const std::string_view word = first_name(text.substr(i));
        if (word == "lambda") ++lambdas_;  // whose ":" is no annotation
        i += word.size() - 1;
      } else if (c == '-' && depth_ == 0 && text.substr(i, 2) == "->") {
        annotated_ = true;
      }
    }
    return !done_;
  }
  bool annotated() const { return annotated_; }

 private:
  int depth_ = 0, lambdas_ = 0;
  char quote_ = 0;
  bool annotated_ = false, done_ = false;
};

// Counts the quotes of a text literal over several lines ("""...""").
class Blocks {
 public:
  // True when the line begins within one.
  bool feed(std::string_view line) {
    const bool within = !open_.empty();
    for (size_t i = 0; i < line.size(); ++i) {
      if (!open_.empty()) {
        if (line[i] == '\\') {
          ++i;
        } else if (line.substr(i, 3) == open_) {
          open_.clear();
          i += 2;
        }
      } else if (line[i] == '#') {
        break;
      } else if (line.substr(i, 3) == "\"\"\"" || line.substr(i, 3) == "'''") {
        open_ = line.substr(i, 3);
        i += 2;
      } else if (line[i] == '"' || line[i] == '\'') {
        const char quote = line[i];
        while (++i < line.size() && line[i] != quote)
          if (line[i] == '\\') ++i;
      }
    }
    return within;
  }

 private:
  std::string open_;
};

void note_imports(std::string_view line, std::vector<std::string>& imports) {
  if (line.starts_with("from ")) {
    imports.emplace_back(first_name(trimmed(line.substr(5))));
    return;
  }
  if (!line.starts_with("import ")) return;
  line.remove_prefix(7);
  while (!line.empty()) {
    imports.emplace_back(first_name(trimmed(line)));
    const size_t comma = line.find(',');
    line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  }
}

void note_constant(std::string_view line, PythonText& out) {
  const std::string_view name = first_name(line);
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return;
  std::string_view rest = trimmed(line.substr(name.size()));
  if (!rest.starts_with('=') || rest.starts_with("==")) return;
  rest = trimmed(rest.substr(1, rest.find('#') == std::string_view::npos ? rest.size() : rest.find('#') - 1));
  int64_t whole = 0;
  double real = 0;
  const char* end = rest.data() + rest.size();
  if (auto r = std::from_chars(rest.data(), end, whole); r.ec == std::errc() && r.ptr == end)
    out.integers[std::string(name)] = whole;
  else if (auto d = std::from_chars(rest.data(), end, real); d.ec == std::errc() && d.ptr == end)
    out.floats[std::string(name)] = real;
}

}  // namespace

const PythonFunction* PythonText::find(std::string_view name) const {
  for (auto it = functions.rbegin(); it != functions.rend(); ++it)
    if (it->name == name) return &*it;
  return nullptr;
}

bool PythonText::imports_torch_alone() const {
  return std::all_of(imports.begin(), imports.end(), [](const std::string& name) {
    return name == "torch" || name == "math" || name == "typing" || name == "__future__";
  });
}

PythonText scan_python(std::string_view text) {
  PythonText out;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Blocks blocks;
  Head head;
  bool in_function = false, in_head = false;
  int number = 0;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t newline = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, newline - begin);
    begin = newline + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool within_literal = blocks.feed(line);
    const bool at_margin = !line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '#';
    if (at_margin && !within_literal && !in_head) {
      in_function = line.starts_with("def ");
      if (in_function) {
        const std::string_view rest = trimmed(line.substr(4));
        out.functions.push_back({std::string(first_name(rest)), number + 1, false});
        head = Head();
        in_head = true;
      } else {
        note_imports(line, out.imports);
        note_constant(line, out);
      }
    }
    if (in_head) {
      const size_t open = out.functions.back().line == number + 1 ? std::min(line.find('('), line.size()) : 0;
      in_head = head.feed(line.substr(open));
      out.functions.back().annotated = head.annotated();
    }
    if (in_function) out.functions_text += line;
    out.functions_text += '\n';
  }
  return out;
}

}  // namespace msprobe::goldens
