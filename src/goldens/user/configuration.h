// fused_operators.yaml: goldens that users bring, and outputs that an operator leaves partly unwritten. Read and
// checked before a run starts; nothing is compiled or loaded here.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/document.h"

namespace msprobe::goldens {

/// How a user's golden is run.
enum class Kind {
  kTorchScript,  ///< functions as text, compiled by LibTorch in the process
  kModule,       ///< a scripted module that torch.jit.save wrote
  kPython,       ///< plain Python, run by the host's Python in a process of its own
  kLibrary,      ///< a shared library with the interface of msprobe/plugin.h
};

struct UserOperator {
  std::string name;  ///< "npu_swiglu"; "Functional.gelu" for an API that is none of the NPU's own
  Kind kind = Kind::kPython;
  std::string forward;              ///< function (of a module: method, of a library: golden) that computes it
  std::string backward;             ///< function that computes its gradients; empty: autograd does
  std::string description, schema;  ///< schema: as torch_npu would register it; empty: the function's own signature
  std::string file;                 ///< that holds the golden; the yaml itself when it holds the text
  int line = 0;                     ///< of the function in `file`; 0 where lines mean nothing
  std::string text;                 ///< TorchScript: its text, line `text_line` of `file` first
  int text_line = 1;
  bool or_python = false;  ///< TorchScript by its looks alone: plain Python where the compiler does not take it
  std::map<std::string, int64_t> integers;  ///< TorchScript: NAME = 3 outside of its functions
  std::map<std::string, double> floats;

  /// "TorchScript golden.py:3", "Python swiglu.py:5", "library libgolden.so", "TorchScript module golden.pt".
  std::string source() const;
};

/// Rows of dimension 0 beyond a length that an argument tells are left unwritten by the operator.
struct ValidRows {
  /// What the argument's numbers are.
  enum class Count { kEnds, kCounts, kByArgument };
  std::string argument;  ///< "group_list"
  int position = -1;     ///< where the argument may stand by position; -1: by keyword alone
  Count count = Count::kCounts;
  std::string list_type;  ///< kByArgument: the argument that says 0 (running ends), 1 (counts) or 2 (pairs)
  /// Argument -> values with which all rows are written ("group_type": 2).
  std::map<std::string, std::vector<int64_t>> unless;
  bool users = false;  ///< no rule of the installed file: what it names and calls lack is told
};

struct Configuration {
  std::vector<UserOperator> operators;          ///< in file order
  std::map<std::string, ValidRows> valid_rows;  ///< by API, "npu_grouped_matmul" or "Functional.x"
  std::vector<std::string> judged_whole;        ///< APIs whose entry is empty: it takes an earlier one back
};

/// Reads a file of our form or MindStudio msprobe's fusion_operator_config.yaml, whose entries have no source: their
/// functions are those of the .py files beside it, gradients are autograd's, and `backward` names an operator of its
/// own. Throws Error with file, line and remedy: unknown keys, wrong types, missing files and functions.
Configuration read_configuration(const std::string& path);

}  // namespace msprobe::goldens
