// Where an API was called: lines of the training program, and the module around it. Plain data, and its text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::places {

struct Frame {
  std::string file;  ///< as recorded, a whole path
  int64_t line = 0;
  std::string function;  ///< "forward", "<module>"
  std::string code;      ///< the line's text without the blanks around it; empty where it was not recorded
};

struct Module {
  std::string name;  ///< "blocks.1.attn"; empty: the model itself
  std::string type;  ///< "Attention"
};

struct Place {
  std::vector<Frame> frames;    ///< innermost first
  std::optional<size_t> shown;  ///< the frame that stands for all: innermost of the user's own; nothing: no frames
  std::vector<Module> modules;  ///< innermost first, up to the root

  bool empty() const { return frames.empty() && modules.empty(); }
};

/// `File F, line N, in FUNCTION, \n CODE`, a frame of stack.json. Nothing: another form.
std::optional<Frame> parse_frame(std::string_view text);

/// `Module.blocks.1.attn.Attention.forward.0`, a name of construct.json. What does not fit is the name, without type.
Module parse_module(std::string_view name);

/// `train.py:24, blocks.1.attn`; what is not known is left out.
std::string short_text(const Place& place);
/// `train.py:24 in forward  x = x + self.attn(self.norm1(x), gain)   blocks.1.attn`, on one line.
std::string line_text(const Place& place);

}  // namespace msprobe::places
