# MindStudio msprobe for the tests that ask it: a Python that has mindstudio-probe and torch.
#   msprobe_needs_peer(<test>)   gives the test MSPROBE_PEER_PYTHON; the test skips itself where that is no program
# -DMSPROBE_PEER_PYTHON=PYTHON (or the environment variable of that name when CMake runs) names one. Otherwise CTest makes
# one in the build folder before the first of these tests (tests/support/peer_python.sh): with the torch of this build's
# LibTorch, if that is a Python package, and about 100 MB from PyPI. Without network the tests are skipped, and say why.

set(MSPROBE_PEER_PYTHON "$ENV{MSPROBE_PEER_PYTHON}" CACHE FILEPATH "Python that has mindstudio-probe; empty: the tests make one in the build folder")
option(MSPROBE_PEER_VENV "Let the tests make a Python with mindstudio-probe where none is named" ON)

set(_peer_venv "${PROJECT_BINARY_DIR}/peer-venv")
if(NOT MSPROBE_PEER_PYTHON AND MSPROBE_PEER_VENV)
  add_test(NAME peer_python COMMAND "${PROJECT_SOURCE_DIR}/tests/support/peer_python.sh" "${_peer_venv}" "${MSPROBE_TORCH_ROOT}")
  set_tests_properties(peer_python PROPERTIES FIXTURES_SETUP peer_python SKIP_RETURN_CODE 77 TIMEOUT 120)
endif()

function(msprobe_needs_peer test)
  if(NOT TEST ${test})
    return()
  endif()
  if(MSPROBE_PEER_PYTHON)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "MSPROBE_PEER_PYTHON=${MSPROBE_PEER_PYTHON}")
  elseif(MSPROBE_PEER_VENV)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "MSPROBE_PEER_PYTHON=${_peer_venv}/bin/python" "MSPROBE_PEER_WHY_NOT=${_peer_venv}.why")
    set_property(TEST ${test} APPEND PROPERTY FIXTURES_REQUIRED peer_python)
  endif()
endfunction()
