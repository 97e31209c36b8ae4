// Names as PyTorch spells them, as this room speaks of them.
#pragma once
#include "signatures/python_names.h"

namespace msprobe::ops {

using config::PythonName;
using config::without_overload;
using signatures::Dunder;
using signatures::DunderKind;
using signatures::find_dunder;
using signatures::python_name;

}  // namespace msprobe::ops
