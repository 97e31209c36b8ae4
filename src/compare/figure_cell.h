// The figures of a row as report/ reads them, under this room's names: every algorithm speaks of them.
#pragma once
#include "report/figure_cell.h"

namespace msprobe::compare {

using report::CellKind;
using report::FigureCell;
using report::Figures;
using report::is_missing_value_of_pandas;
using report::read_figure;
using report::read_status;

}  // namespace msprobe::compare
