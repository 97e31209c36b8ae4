// The algorithms of api_precision_compare: one file each, registered in its last line.
//
// To add one: docs/compare.md#adding-an-algorithm.
#pragma once
#include <string_view>
#include <vector>

#include "compare/judgement.h"

namespace msprobe::compare {

enum class Side { kNpu, kGpu };

/// A figure that an algorithm reads.
struct Need {
  /// kShown: the verdict does not depend on it, so that it may be blank.
  enum class When { kAlways, kSingle, kNotFloat8, kShown };
  outcome::Figure figure;
  Side side = Side::kNpu;
  When when = When::kAlways;

  bool is_read_for(DtypeClass dtype) const {
    if (when == When::kSingle) return dtype == DtypeClass::kSingle;
    return when == When::kAlways || dtype != DtypeClass::kFloat8;
  }
  /// True when there is no verdict without it.
  bool decides(DtypeClass dtype) const { return when != When::kShown && is_read_for(dtype); }
};

struct Standard {
  std::string_view name;       ///< `标杆比对法`
  std::vector<Need> needs;     ///< columns of the details files, in the order in which they are looked at
  std::vector<Column> writes;  ///< columns that judge() may set
  /// Called when every figure that decides is a number. Sets columns, findings and status.
  void (*judge)(const Subject& subject, Judgement& out);
};

const Standard& standard(config::Algorithm algorithm);
const std::vector<Standard>& standards();

/// Figures that some algorithm reads, in the order of outcome::Figure.
const std::vector<outcome::Figure>& needed_figures();
/// The same of one side's file.
const std::vector<outcome::Figure>& needed_figures(Side side);

struct Registration {
  explicit Registration(Standard standard);
};

#define MSPROBE_STANDARD(name, needs, writes, judge) \
  const ::msprobe::compare::Registration kRegistration(::msprobe::compare::Standard{name, needs, writes, judge})

}  // namespace msprobe::compare
