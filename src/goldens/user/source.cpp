#include "goldens/user/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <filesystem>
#include <vector>

#include "goldens/user/python_text.h"
#include "util/atomic_file.h"
#include "util/edit_distance.h"
#include "util/utf8.h"

namespace msprobe::goldens {
namespace {

namespace fs = std::filesystem;
using config::Node;

struct Word {
  std::string_view text;
  Kind kind;
};
constexpr Word kKinds[] = {{"torchscript", Kind::kTorchScript},
                           {"module", Kind::kModule},
                           {"python", Kind::kPython},
                           {"library", Kind::kLibrary}};

Kind named_kind(const std::string& path, const Node& node) {
  std::vector<std::string> known;
  for (const Word& word : kKinds) {
    if (node.text == word.text) return word.kind;
    known.emplace_back(word.text);
  }
  throw error_at(path, node,
                 fmt::format("found {}, expected {}{}", describe(node), fmt::join(known, ", "),
                             util::did_you_mean(node.text, known)));
}

bool is_text(const std::string& source) {
  return source.find('\n') != std::string::npos || source.starts_with("def ");
}

// What a file's name says that it is.
struct FileName {
  explicit FileName(const std::string& file) {
    const std::string extension = fs::path(file).extension().string();
    python = extension == ".py";
    module = extension == ".pt" || extension == ".pth";
    library = extension == ".so" || fs::path(file).filename().string().find(".so.") != std::string::npos;
  }
  bool python, module, library;
};

std::string existing_file(const std::string& path, const Node& source) {
  fs::path file(source.text);
  if (file.is_relative()) file = fs::path(path).parent_path() / file;
  struct stat info {};
  if (stat(file.c_str(), &info) != 0)
    throw error_at(path, source, fmt::format("there is no file {}", file.string()),
                   "paths are relative to the yaml file; text of one line begins with \"def \"");
  if (!S_ISREG(info.st_mode))
    throw error_at(path, source, fmt::format("{} is no regular file", file.string()), "name a .py, .pt or .so file");
  return file.lexically_normal().string();
}

// A file whose name says what it is cannot be read as something else.
void check_kind(const std::string& path, const Node& node, Kind kind, const std::string& file) {
  const auto refuse = [&](const char* is, const char* fitting) {
    throw error_at(path, node, fmt::format("found {}, but {} is {}", node.text, file, is),
                   fmt::format("say {}, or remove kind", fitting));
  };
  const FileName name(file);
  if (name.python && kind != Kind::kTorchScript && kind != Kind::kPython)
    refuse("Python source", "torchscript or python");
  if (name.library && kind != Kind::kLibrary) refuse("a shared library", "library");
  if (name.module && kind != Kind::kModule) refuse("a saved module", "module");
}

// As the key says, else as the file's name does.
Kind kind_of_file(const std::string& path, const OperatorKeys& keys, const std::string& file) {
  if (keys.kind != nullptr) {
    const Kind kind = named_kind(path, *keys.kind);
    check_kind(path, *keys.kind, kind, file);
    return kind;
  }
  const FileName name(file);
  if (name.module) return Kind::kModule;
  if (name.library) return Kind::kLibrary;
  if (!name.python)
    throw error_at(path, *keys.source, fmt::format("{} is none of .py, .pt and .so", keys.source->text),
                   "rename it, or say kind: torchscript, module, python or library");
  return Kind::kPython;
}

std::string read_text(const std::string& path, const Node& source, const std::string& file) {
  std::string text = util::read_file(file, kLargestSource);
  if (!util::is_utf8(text)) throw error_at(path, source, fmt::format("{} is not UTF-8", file), "save it as UTF-8");
  return text;
}

// A block of text ("source: |") begins in the line after its mark.
int first_line(const std::string& path, const Node& source) {
  const std::string text = util::read_file(path, config::kLargestDocument);
  size_t begin = 0;
  for (int line = 1; line < source.line && begin != std::string::npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return source.line;
  const std::string_view line = std::string_view(text).substr(begin, text.find('\n', begin) - begin);
  const size_t mark = line.find_last_of("|>");
  const bool block = mark != std::string_view::npos && line.find("def ") == std::string_view::npos;
  return block ? source.line + 1 : source.line;
}

// The line of function `name`, which `where` (nullptr: nobody) names.
int line_of(const std::string& path, const OperatorKeys& keys, const Node* where, const std::string& name,
            const PythonText& text, const UserOperator& op) {
  if (const PythonFunction* f = text.find(name)) return f->line;
  std::vector<std::string> names;
  for (const auto& f : text.functions) names.push_back(f.name);
  throw error_at(path, where != nullptr ? *where : *keys.source,
                 fmt::format("{} defines no function {}{}", op.file == path ? "the text" : op.file, name,
                             util::did_you_mean(name, names)),
                 "name the function with forward");
}

void use_functions(const std::string& path, const OperatorKeys& keys, const PythonText& text, UserOperator& op) {
  op.line = line_of(path, keys, keys.forward, op.forward, text, op) + op.text_line - 1;
  if (!op.backward.empty()) line_of(path, keys, keys.backward, op.backward, text, op);
  if (op.kind != Kind::kTorchScript) return;
  op.text = text.functions_text;
  op.integers = text.integers;
  op.floats = text.floats;
}

void read_own_text(const std::string& path, const OperatorKeys& keys, UserOperator& op) {
  if (keys.kind != nullptr && named_kind(path, *keys.kind) != Kind::kTorchScript)
    throw error_at(path, *keys.kind,
                   fmt::format("found {}, but the source is text, which is TorchScript", keys.kind->text),
                   "name a file in source");
  op.kind = Kind::kTorchScript;
  op.file = path;
  op.text_line = first_line(path, *keys.source);
  use_functions(path, keys, scan_python(keys.source->text), op);
}

void read_python(const std::string& path, const OperatorKeys& keys, UserOperator& op) {
  const PythonText text = scan_python(read_text(path, *keys.source, op.file));
  const PythonFunction* f = text.find(op.forward);
  if (keys.kind == nullptr && f != nullptr && f->annotated && text.imports_torch_alone()) {
    op.kind = Kind::kTorchScript;
    op.or_python = true;
  }
  use_functions(path, keys, text, op);
}

}  // namespace

void read_source(const std::string& path, const OperatorKeys& keys, UserOperator& op) {
  const std::string own = op.name.substr(op.name.rfind('.') + 1);
  if (is_text(keys.source->text)) {
    if (op.forward.empty()) op.forward = own;
    read_own_text(path, keys, op);
    return;
  }
  op.file = existing_file(path, *keys.source);
  op.kind = kind_of_file(path, keys, op.file);
  if (op.forward.empty()) op.forward = op.kind == Kind::kModule ? "forward" : own;
  if (op.kind == Kind::kTorchScript || op.kind == Kind::kPython) read_python(path, keys, op);
}

}  // namespace msprobe::goldens
