#include "run/select.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
