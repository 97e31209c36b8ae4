// A call in the making, as the rules of valid.h see it: the record, the values built for it, and what they may still
// change.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dump/dtype.h"
#include "inputs/build.h"
#include "inputs/places.h"
#include "inputs/seed.h"

namespace msprobe::inputs {

/// A tensor that was drawn, not read from a file.
struct Drawn {
  at::Tensor* tensor;
  const dump::TensorMeta* meta;
  std::string position;  ///< what seeded it (build.h)
};

class ValidCall {
 public:
  ValidCall(const dump::Record& record, const BuildContext& context, Arguments& arguments,
            std::vector<std::string>& notes)
      : record_(record),
        context_(context),
        arguments_(arguments),
        notes_(notes),
        shape_(signatures::shape_of(record.forward)) {}

  const dump::ForwardRecord& forward() const { return record_.forward; }
  std::string_view name() const { return operator_name(record_.name); }
  Words words(const Drawn& drawn) const { return {context_.options.seed, record_.name.full, drawn.position}; }
  /// The argument that stands for a parameter, by whichever of its names; nullopt: left out.
  std::optional<Place> find(std::string_view parameter) const;
  /// What was recorded there where it is a tensor, else nullptr.
  const dump::TensorMeta* recorded(std::string_view parameter) const { return tensor_at(forward(), find(parameter)); }

  /// The drawn tensors of an argument, nested ones included, in order.
  std::vector<Drawn> drawn(Place place) const;
  std::optional<Drawn> drawn_at(const std::optional<Place>& place) const;
  /// An argument's tensor, drawn or read; nullptr: none there.
  const at::Tensor* tensor(const std::optional<Place>& place) const;
  std::optional<int64_t> integer(std::string_view parameter) const;
  bool is_true(std::string_view parameter) const;
  /// Descriptions of the recorded output's tensors, nested ones included, in order.
  std::vector<const dump::TensorMeta*> outputs() const;

  std::string label(Place place) const { return label_of(arguments_, place); }
  void note(const std::string& text) { notes_.push_back(text); }

 private:
  const dump::Record& record_;
  const BuildContext& context_;
  Arguments& arguments_;
  std::vector<std::string>& notes_;
  signatures::CallShape shape_;
};

/// A dimension counted from the end where negative; nullopt: the tensor has no such dimension.
std::optional<size_t> dimension(int64_t dim, size_t rank);

/// The product of a shape's sizes; the largest int64 where it is beyond that: what a dump records of an output, or of a
/// tensor that is read from a file, need not fit in memory. -1 where a size is negative.
int64_t elements_of(const std::vector<int64_t>& shape);

}  // namespace msprobe::inputs
