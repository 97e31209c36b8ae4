# The libraries besides LibTorch: Debian 12 and 13, Ubuntu 22.04 and 24.04 name some of their targets differently.
# A missing one is reported with the name of its package.

# Finds a package that comes with a CMake configuration, or says which Debian package brings it.
macro(msprobe_package name debian)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found.\n  apt-get install ${debian}\nbrings it; scripts/test installs everything that is missing.")
  endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
msprobe_package(ZLIB zlib1g-dev)
msprobe_package(fmt libfmt-dev)
msprobe_package(spdlog libspdlog-dev)
msprobe_package(nlohmann_json nlohmann-json3-dev)
msprobe_package(CLI11 libcli11-dev)

msprobe_package(yaml-cpp libyaml-cpp-dev)
add_library(msprobe_yaml INTERFACE)
add_library(msprobe::yaml ALIAS msprobe_yaml)
if(TARGET yaml-cpp::yaml-cpp)  # 0.8
  target_link_libraries(msprobe_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(msprobe_yaml INTERFACE yaml-cpp)
endif()

# Header-only ones without a configuration of their own everywhere.
function(msprobe_header header debian)
  string(MAKE_C_IDENTIFIER "MSPROBE_HEADER_${header}" variable)
  find_path(${variable} ${header})
  mark_as_advanced(${variable})
  if(NOT ${variable})
    message(FATAL_ERROR "<${header}> was not found.\n  apt-get install ${debian}\nbrings it; scripts/test installs everything that is missing.")
  endif()
endfunction()
msprobe_header(rapidjson/reader.h rapidjson-dev)
msprobe_header(libfccp/csv.h libfccp-dev)

if(MSPROBE_BUILD_TESTS)
  set(CMAKE_FIND_PACKAGE_PREFER_CONFIG TRUE)  # CMake's own module has no GoogleMock before 3.20
  msprobe_package(GTest "libgtest-dev libgmock-dev")
  if(NOT TARGET GTest::gmock)
    message(FATAL_ERROR "GoogleMock was not found.\n  apt-get install libgmock-dev\nbrings it; scripts/test installs everything that is missing.")
  endif()
endif()
if(MSPROBE_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
endif()
