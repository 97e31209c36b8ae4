// The descriptors that every program is given, and may not have been.
#pragma once
#include <string>

namespace msprobe::util {

/// Opens /dev/null in the place of each of the descriptors 0 to 2 that is closed (`<&-`, `>&-`): else the files of the
/// run would get these numbers, and whatever is printed would stand in them. To be called before anything is opened.
void open_standard_streams();

/// Writes out what stdout still buffers. The reason when something that was printed was lost; empty: nothing was, or
/// the reader has gone away (`| head`) and did not want it.
std::string stdout_failure();

}  // namespace msprobe::util
