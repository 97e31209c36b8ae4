# Tests read their data in the build folder: tests/data with each archive unpacked, dump_tensor_data.tar.gz to dump_tensor_data/.
#   msprobe_use_test_data(<target>)   defines MSPROBE_TEST_DATA, and brings the copy up to date before <target> is built
# scripts/pack makes the archives; tests/data/README.md says where their files come from.

set(MSPROBE_TEST_DATA_DIR "${PROJECT_BINARY_DIR}/tests/data")
set(_data_stamp "${PROJECT_BINARY_DIR}/tests/data.stamp")
file(GLOB_RECURSE _data_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/data/*")
list(FILTER _data_files EXCLUDE REGEX "\\.(py|md)$")  # no test reads those
add_custom_command(OUTPUT "${_data_stamp}"
  COMMAND "${CMAKE_COMMAND}" -DFROM=${PROJECT_SOURCE_DIR}/tests/data -DTO=${MSPROBE_TEST_DATA_DIR} -P "${CMAKE_CURRENT_LIST_DIR}/UnpackTestData.cmake"
  COMMAND "${CMAKE_COMMAND}" -E touch "${_data_stamp}"
  DEPENDS ${_data_files} "${CMAKE_CURRENT_LIST_DIR}/UnpackTestData.cmake"
  COMMENT "Unpacking test data" VERBATIM)
add_custom_target(test_data DEPENDS "${_data_stamp}")

function(msprobe_use_test_data target)
  target_compile_definitions(${target} PRIVATE MSPROBE_TEST_DATA="${MSPROBE_TEST_DATA_DIR}" MSPROBE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_dependencies(${target} test_data)
endfunction()
