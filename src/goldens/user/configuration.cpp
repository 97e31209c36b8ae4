#include "goldens/user/configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <filesystem>

#include "goldens/built_in.h"
#include "goldens/schema_text.h"
#include "goldens/user/python_text.h"
#include "ops/python_declaration.h"
#include "util/atomic_file.h"
#include "util/edit_distance.h"
#include "util/utf8.h"

namespace msprobe::goldens {
namespace {

namespace fs = std::filesystem;
using config::Node;

constexpr uint64_t kLargestSource = 1 << 22;
constexpr const char* kForm =
    "write `operators: {npu_x: {source: golden.py}}`; docs/fused-operators.md shows each kind";

constexpr const char* kSchemaForm = "write it as \"npu_x(Tensor input, int dim=-1) -> Tensor\"";

struct Word {
  std::string_view text;
  Language language;
};
constexpr Word kLanguages[] = {{"torchscript", Language::kTorchScript},
                               {"module", Language::kModule},
                               {"python", Language::kPython},
                               {"library", Language::kLibrary}};

std::vector<std::string> function_names(const PythonText& text) {
  std::vector<std::string> names;
  for (const auto& f : text.functions) names.push_back(f.name);
  return names;
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)), folder_(fs::path(path_).parent_path()) {}

  Configuration read() {
    const Node root = config::read_document(path_);
    if (root.kind == Node::Kind::kNull) return {};
    if (root.kind != Node::Kind::kMap)
      throw error_at(path_, root, fmt::format("found {}, expected the key operators", describe(root)), kForm);
    for (const Node& entry : root.children) {
      if (entry.key == "operators")
        operators(entry);
      else if (entry.key == "output_valid_rows")
        valid_rows(entry);
      else
        throw unknown(entry, "key", {"operators", "output_valid_rows"});
    }
    return std::move(out_);
  }

 private:
  // At the line of the key, which is where a reader looks for a misspelt one.
  Error unknown(const Node& entry, const std::string& what, const std::vector<std::string>& known) const {
    return Error(fmt::format("{}:{}: {}", path_, entry.key_line, entry.key),
                 fmt::format("unknown {}{}", what, util::did_you_mean(entry.key, known)),
                 fmt::format("known are {}", fmt::join(known, ", ")));
  }
  Error at_key(const Node& entry, const std::string& what, const std::string& remedy) const {
    return Error(fmt::format("{}:{}: {}", path_, entry.key_line, entry.key), what, remedy);
  }

  // "npu_x" and "NPU.npu_x" are one; "Functional.gelu" stays.
  std::string api_name(const Node& entry) const {
    static const std::vector<std::string> kTypes = {"NPU", "Functional", "Torch", "Tensor", "Aten", "VF"};
    const size_t dot = entry.key.find('.');
    if (entry.key.empty() || entry.key.find_first_of(" \t\n") != std::string::npos)
      throw at_key(entry, "is no name of an API", "write it as npu_swiglu or Functional.gelu");
    if (dot == std::string::npos) return entry.key;
    const std::string type = entry.key.substr(0, dot);
    if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end() || dot + 1 == entry.key.size())
      throw at_key(entry, fmt::format("has the type {}{}", type, util::did_you_mean(type, kTypes)),
                   fmt::format("types are {}", fmt::join(kTypes, ", ")));
    return type == "NPU" ? entry.key.substr(dot + 1) : entry.key;
  }

  // The reader of the file sees to it for equal keys; "npu_x" and "NPU.npu_x" are one operator.
  void once(std::map<std::string, const Node*>& seen, const std::string& name, const Node& entry) const {
    const auto [before, first] = seen.emplace(name, &entry);
    if (!first)
      throw at_key(entry, fmt::format("is {} of line {} once more", before->second->key, before->second->key_line),
                   "keep one of them");
  }

  void operators(const Node& node) {
    if (node.kind == Node::Kind::kNull) return;
    if (node.kind != Node::Kind::kMap)
      throw error_at(path_, node, fmt::format("found {}, expected names of operators", describe(node)), kForm);
    for (const Node& entry : node.children) one_operator(entry);
  }

  void one_operator(const Node& entry) {
    static const std::vector<std::string> kKeys = {"forward", "backward", "description", "schema", "source", "kind"};
    if (entry.kind != Node::Kind::kMap)
      throw error_at(path_, entry,
                     fmt::format("found {}, expected the keys {}", describe(entry), fmt::join(kKeys, ", ")), kForm);
    UserOperator op;
    op.name = api_name(entry);
    once(operators_, op.name, entry);
    const Node *source = nullptr, *kind = nullptr, *forward = nullptr, *backward = nullptr;
    for (const Node& value : entry.children) {
      if (std::find(kKeys.begin(), kKeys.end(), value.key) == kKeys.end()) throw unknown(value, "key", kKeys);
      if (value.kind == Node::Kind::kNull) continue;
      const std::string text = config::as_text(path_, value);
      if (value.key == "description") op.description = text;
      if (value.key == "schema") op.schema = schema(value, text);
      if (value.key == "forward") op.forward = text, forward = &value;
      if (value.key == "backward") op.backward = text, backward = &value;
      if (value.key == "source") source = &value;
      if (value.key == "kind") kind = &value;
    }
    if (source != nullptr) {
      from_source(*source, kind, forward, backward, std::move(op));
      return;
    }
    if (kind != nullptr) throw error_at(path_, *kind, "is given without a source", "add the source, or remove kind");
    from_folder(entry, forward, backward, op);
  }

  std::string schema(const Node& node, const std::string& text) const {
    const size_t open = text.find('('), close = text.rfind(") ->");
    if (open == 0 || open == std::string::npos || close == std::string::npos || close < open)
      throw error_at(path_, node, fmt::format("found {}, expected name(arguments) -> results", describe(node)),
                     kSchemaForm);
    try {
      torch::jit::parseSchema(text);
      ops::find_declaration(python_parameters(text));
    } catch (const std::exception& e) {
      std::string words = e.what();
      words.erase(0, words.find_first_not_of("\n "));
      if (const size_t end = words.find('\n'); end != std::string::npos) words.resize(end);
      while (!words.empty() && (words.back() == ':' || words.back() == ' ')) words.pop_back();
      throw error_at(path_, node, fmt::format("found {}, which is no schema: {}", describe(node), words), kSchemaForm);
    }
    return text;
  }

  // ---- MindStudio's form: no source, the functions are those of the .py files in the folder of the yaml.

  struct Found {
    std::string file;
    PythonFunction function;
  };

  void scan_folder() {
    if (scanned_) return;
    scanned_ = true;
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& item : fs::directory_iterator(folder_.empty() ? "." : folder_, ignored))
      if (item.path().extension() == ".py" && item.is_regular_file(ignored)) files.push_back(item.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      const PythonText text = scan_python(util::read_file(file.string(), kLargestSource));
      for (const auto& f : text.functions)
        beside_[f.name] = {file.string(), f};  // the last one, as Python's import has it
    }
  }

  const Found& find_beside(const Node& where) {
    scan_folder();
    const auto found = beside_.find(where.text);
    if (found != beside_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, place] : beside_) known.push_back(name);
    throw error_at(
        path_, where,
        fmt::format("no .py file beside {} defines {}{}", path_, where.text, util::did_you_mean(where.text, known)),
        "correct the name, or name the file with source");
  }

  void from_folder(const Node& entry, const Node* forward, const Node* backward, const UserOperator& op) {
    if (forward == nullptr && backward == nullptr) throw at_key(entry, "has neither forward nor source", kForm);
    const auto add = [&](const std::string& name, const Node& function) {
      const Found& found = find_beside(function);
      UserOperator one = op;
      one.name = name;
      one.language = Language::kPython;
      one.forward = function.text;
      one.backward.clear();
      one.file = found.file;
      one.line = found.function.line;
      out_.operators.push_back(std::move(one));
    };
    if (forward != nullptr) add(op.name, *forward);
    if (backward != nullptr && (forward == nullptr || backward->text != op.name)) add(backward->text, *backward);
  }

  // ---- our form

  void from_source(const Node& source, const Node* kind, const Node* forward, const Node* backward, UserOperator op) {
    const std::string own = op.name.substr(op.name.rfind('.') + 1);
    if (is_text(source.text)) {
      if (kind != nullptr && language(*kind) != Language::kTorchScript)
        throw error_at(path_, *kind, fmt::format("found {}, but the source is text, which is TorchScript", kind->text),
                       "name a file in source");
      op.language = Language::kTorchScript;
      op.file = path_;
      op.text_line = first_line(source);
      if (op.forward.empty()) op.forward = own;
      use_functions(source, forward, backward, scan_python(source.text), op);
    } else {
      op.file = existing_file(source);
      const std::string extension = fs::path(op.file).extension().string();
      const bool shared = extension == ".so" || fs::path(op.file).filename().string().find(".so.") != std::string::npos;
      if (kind != nullptr) {
        op.language = language(*kind);
        check_kind(*kind, op.language, extension, shared, op.file);
      } else if (extension == ".pt" || extension == ".pth") {
        op.language = Language::kModule;
      } else if (shared) {
        op.language = Language::kLibrary;
      } else if (extension != ".py") {
        throw error_at(path_, source, fmt::format("{} is none of .py, .pt and .so", source.text),
                       "rename it, or say kind: torchscript, module, python or library");
      }
      if (op.forward.empty()) op.forward = op.language == Language::kModule ? "forward" : own;
      if (op.language == Language::kTorchScript || op.language == Language::kPython) {
        const PythonText text = scan_python(read_text(source, op.file));
        const PythonFunction* f = text.find(op.forward);
        if (kind == nullptr && f != nullptr && f->annotated && text.imports_torch_alone()) {
          op.language = Language::kTorchScript;
          op.or_python = true;
        }
        use_functions(source, forward, backward, text, op);
      }
    }
    out_.operators.push_back(std::move(op));
  }

  // A file whose name says what it is cannot be read as something else.
  void check_kind(const Node& kind, Language language, const std::string& extension, bool shared,
                  const std::string& file) const {
    const auto refuse = [&](const char* is, const char* fitting) {
      throw error_at(path_, kind, fmt::format("found {}, but {} is {}", kind.text, file, is),
                     fmt::format("say {}, or remove kind", fitting));
    };
    if (extension == ".py" && language != Language::kTorchScript && language != Language::kPython)
      refuse("Python source", "torchscript or python");
    if (shared && language != Language::kLibrary) refuse("a shared library", "library");
    if ((extension == ".pt" || extension == ".pth") && language != Language::kModule)
      refuse("a saved module", "module");
  }

  void use_functions(const Node& source, const Node* forward, const Node* backward, const PythonText& text,
                     UserOperator& op) const {
    const std::vector<std::string> names = function_names(text);
    const auto check = [&](const std::string& name, const Node* where) {
      const PythonFunction* f = text.find(name);
      if (f != nullptr) return f->line;
      throw error_at(path_, where != nullptr ? *where : source,
                     fmt::format("{} defines no function {}{}", op.file == path_ ? "the text" : op.file, name,
                                 util::did_you_mean(name, names)),
                     "name the function with forward");
    };
    op.line = check(op.forward, forward) + op.text_line - 1;
    if (!op.backward.empty()) check(op.backward, backward);
    if (op.language != Language::kTorchScript) return;
    op.text = text.functions_text;
    op.integers = text.integers;
    op.floats = text.floats;
  }

  Language language(const Node& kind) const {
    std::vector<std::string> known;
    for (const Word& word : kLanguages) {
      if (kind.text == word.text) return word.language;
      known.emplace_back(word.text);
    }
    throw error_at(path_, kind,
                   fmt::format("found {}, expected {}{}", describe(kind), fmt::join(known, ", "),
                               util::did_you_mean(kind.text, known)));
  }

  static bool is_text(const std::string& source) {
    return source.find('\n') != std::string::npos || source.starts_with("def ");
  }

  // A block of text ("source: |") begins in the line after its mark.
  int first_line(const Node& source) const {
    const std::string text = util::read_file(path_, config::kLargestDocument);
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

  std::string existing_file(const Node& source) const {
    fs::path file(source.text);
    if (file.is_relative()) file = folder_ / file;
    struct stat info {};
    if (stat(file.c_str(), &info) != 0)
      throw error_at(path_, source, fmt::format("there is no file {}", file.string()),
                     "paths are relative to the yaml file; text of one line begins with \"def \"");
    if (!S_ISREG(info.st_mode))
      throw error_at(path_, source, fmt::format("{} is no regular file", file.string()), "name a .py, .pt or .so file");
    return file.lexically_normal().string();
  }

  std::string read_text(const Node& source, const std::string& file) const {
    std::string text = util::read_file(file, kLargestSource);
    if (!util::is_utf8(text)) throw error_at(path_, source, fmt::format("{} is not UTF-8", file), "save it as UTF-8");
    return text;
  }

  // ---- output_valid_rows

  void valid_rows(const Node& node) {
    if (node.kind == Node::Kind::kNull) return;
    constexpr const char* kRowsForm = "write `npu_x: {argument: group_list, list_type: counts}`";
    if (node.kind != Node::Kind::kMap)
      throw error_at(path_, node, fmt::format("found {}, expected names of APIs", describe(node)), kRowsForm);
    for (const Node& entry : node.children) {
      const std::string name = api_name(entry);
      once(rules_, name, entry);
      if (entry.kind == Node::Kind::kNull) {
        out_.judged_whole.push_back(name);
        continue;
      }
      if (entry.kind != Node::Kind::kMap)
        throw error_at(path_, entry,
                       fmt::format("found {}, expected the argument that tells the rows", describe(entry)), kRowsForm);
      out_.valid_rows[name] = one_rule(name, entry);
    }
  }

  // A misspelt word, or an argument that the operator does not have, would change what is judged without a word.
  void check_list_type(const std::string& name, const Node& node) const {
    constexpr const char* kRemedy = "write counts, ends, or the name of the argument that says which";
    if (const std::string meant = util::did_you_mean(node.text, {"counts", "ends"}); !meant.empty())
      throw error_at(path_, node, fmt::format("found {}{}", node.text, meant), kRemedy);
    const Golden* golden = find_built_in(name);
    std::string schema = golden != nullptr ? golden->schema : "";
    for (const auto& user : out_.operators)
      if (user.name == name && !user.schema.empty()) schema = user.schema;
    if (schema.empty()) return;
    std::vector<std::string> known;
    for (const auto& p : ops::find_declaration(python_parameters(schema)).parameters) known.push_back(p.name);
    if (std::find(known.begin(), known.end(), node.text) == known.end())
      throw error_at(
          path_, node,
          fmt::format("found {}, which is no argument of {}{}", node.text, name, util::did_you_mean(node.text, known)),
          kRemedy);
  }

  ValidRows one_rule(const std::string& name, const Node& entry) const {
    static const std::vector<std::string> kKeys = {"argument", "position", "list_type", "unless"};
    ValidRows rule;
    const Node* by_argument = nullptr;
    for (const Node& value : entry.children) {
      if (value.key == "argument") {
        rule.argument = config::as_text(path_, value);
      } else if (value.key == "position") {
        rule.position = static_cast<int>(config::as_integer(path_, value, 0, 1000));
      } else if (value.key == "list_type") {
        const std::string text = config::as_text(path_, value);
        rule.count = text == "ends"     ? ValidRows::Count::kEnds
                     : text == "counts" ? ValidRows::Count::kCounts
                                        : ValidRows::Count::kByArgument;
        if (rule.count == ValidRows::Count::kByArgument) rule.list_type = text, by_argument = &value;
      } else if (value.key == "unless") {
        read_unless(value, rule);
      } else {
        throw unknown(value, "key", kKeys);
      }
    }
    if (by_argument != nullptr) check_list_type(name, *by_argument);
    if (rule.argument.empty())
      throw at_key(entry, "names no argument", "add `argument: group_list`, or whatever tells the rows");
    return rule;
  }

  void read_unless(const Node& node, ValidRows& rule) const {
    if (node.kind != Node::Kind::kMap)
      throw error_at(path_, node, fmt::format("found {}, expected arguments with their values", describe(node)),
                     "write `unless: {group_type: [2]}`");
    for (const Node& entry : node.children) {
      std::vector<int64_t>& values = rule.unless[entry.key];
      if (entry.kind != Node::Kind::kList) {
        values.push_back(config::as_integer(path_, entry, INT64_MIN, INT64_MAX));
        continue;
      }
      for (Node item : entry.children) {
        item.key = entry.key;
        values.push_back(config::as_integer(path_, item, INT64_MIN, INT64_MAX));
      }
    }
  }

  std::string path_;
  fs::path folder_;
  Configuration out_;
  std::map<std::string, const Node*> operators_, rules_;  // entries read, by API
  bool scanned_ = false;
  std::map<std::string, Found> beside_;
};

}  // namespace

std::string UserOperator::source() const {
  const std::string place = line > 0 ? fmt::format("{}:{}", file, line) : file;
  switch (language) {
    case Language::kTorchScript:
      return "TorchScript " + place;
    case Language::kModule:
      return "TorchScript module " + place;
    case Language::kPython:
      return "Python " + place;
    case Language::kLibrary:
      break;
  }
  return "library " + place;
}

Configuration read_configuration(const std::string& path) {
  return Reader(path).read();
}

}  // namespace msprobe::goldens
