// What the files say of an output beside its figures: Status, Message, Shape, DEVICE Dtype.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compare/figure_cell.h"
#include "outcome/row.h"
#include "util/name_index.h"
#include "util/text_store.h"

namespace msprobe::compare {

/// Of one side. Views into its file's texts; blank where the file has no such column.
struct Told {
  outcome::Status status = outcome::Status::kBlank;
  std::string_view message, shape, dtype;
  bool assessed = false;  ///< the NPU's file holds assessments: a pass without a clause is one that is fine
};

/// The same of all rows of a file: few shapes and dtypes are different, and a Message is kept for SKIP and error alone.
class ToldRows {
 public:
  void add(const Told& row);
  Told operator[](uint32_t row) const;
  size_t size() const { return rows_.size(); }

 private:
  struct Packed {
    uint32_t shape, dtype;
    outcome::Status status;
  };
  uint32_t number_of(std::string_view text, uint32_t likely);

  util::TextStore text_;
  util::NameIndex words_;  ///< shapes and dtypes
  std::deque<Packed> rows_;
  std::unordered_map<uint32_t, std::string_view> messages_;
};

struct ToldPair {
  Told npu, gpu;
};

/// `shape (2, 3), the GPU's is (3, 2)`, likewise of the dtypes; empty where they are equal, or blank on one side.
std::string difference(const ToldPair& told);

/// True when the NPU's row is an error that its figures do not tell: they are all blank (another shape or kind, an
/// output or a gradient on one side alone), or were taken over the finite elements alone, inf or nan standing on one
/// side. `max_abs`: 最大绝对误差, which is not finite then.
bool is_error_beside_figures(const Told& npu, const Figures& figures, FigureCell max_abs);

}  // namespace msprobe::compare
