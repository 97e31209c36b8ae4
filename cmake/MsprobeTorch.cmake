# Finds LibTorch and defines msprobe::torch, in this order:
#   1. -DTorch_DIR=..., -DCMAKE_PREFIX_PATH=..., or the environment variables of the same names
#   2. torch of the active Python (the first python3 of PATH)
#   3. torch in .venv/, where scripts/setup.sh puts it
#   4. the system's (Debian's libtorch-dev)
# The first that is there is taken: one that cannot be used is an error with the remedy, never a reason to take another behind the user's back.
#
# LibTorch's own TorchConfig.cmake is not loaded: its GPU builds then ask for a whole CUDA toolkit, others warn of a missing kineto.
# All that it would tell (headers, libraries, version, ABI) is read from the installation itself.

set(MSPROBE_TORCH_MINIMUM 2.1)

# Root of the installation that holds DIR/TorchConfig.cmake: the first folder above it with LibTorch's headers.
function(_msprobe_torch_root out dir)
  set(root "${dir}")
  foreach(step RANGE 5)
    if(EXISTS "${root}/include/ATen/ATen.h")
      set(${out} "${root}" PARENT_SCOPE)
      return()
    endif()
    get_filename_component(root "${root}/.." ABSOLUTE)
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

# Folder of the package torch of PYTHON, without importing it (importing takes seconds).
function(_msprobe_torch_of_python out python)
  execute_process(
    COMMAND "${python}" -c "import importlib.util as u; s = u.find_spec('torch'); print(list(s.submodule_search_locations)[0] if s else '')"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

function(_msprobe_find_torch out_root out_origin)
  set(suffixes share/cmake/Torch lib/cmake/Torch "lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Torch" Torch)

  # 1. what the user names
  if(Torch_DIR OR DEFINED ENV{Torch_DIR})
    set(dir "${Torch_DIR}")
    if(NOT dir)
      set(dir "$ENV{Torch_DIR}")
    endif()
    _msprobe_torch_root(root "${dir}")
    if(NOT root)
      message(FATAL_ERROR "Torch_DIR=${dir}: no LibTorch there (no include/ATen/ATen.h above it).\n"
                          "Name the folder that holds TorchConfig.cmake, e.g.\n"
                          "  -DTorch_DIR=\"$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')/Torch\"")
    endif()
    set(${out_root} "${root}" PARENT_SCOPE)
    set(${out_origin} "Torch_DIR" PARENT_SCOPE)
    return()
  endif()
  string(REPLACE ":" ";" environment_prefixes "$ENV{CMAKE_PREFIX_PATH}")
  foreach(prefix ${CMAKE_PREFIX_PATH} ${environment_prefixes})
    foreach(suffix ${suffixes})
      if(EXISTS "${prefix}/${suffix}/TorchConfig.cmake")
        _msprobe_torch_root(root "${prefix}/${suffix}")
        if(root)
          set(${out_root} "${root}" PARENT_SCOPE)
          set(${out_origin} "CMAKE_PREFIX_PATH" PARENT_SCOPE)
          return()
        endif()
      endif()
    endforeach()
  endforeach()

  # 2. the active Python's, 3. the set-up's
  unset(_python CACHE)  # the active Python may be another one than last time
  find_program(_python python3)
  foreach(python "${_python}" "${PROJECT_SOURCE_DIR}/.venv/bin/python3")
    if(EXISTS "${python}")
      _msprobe_torch_of_python(package "${python}")
      set(root "")
      if(package)  # a package without headers (Debian's python3-torch alone) is no LibTorch
        _msprobe_torch_root(root "${package}")
      endif()
      if(root)
        set(${out_root} "${root}" PARENT_SCOPE)
        set(${out_origin} "torch of ${python}" PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()

  # 4. the system's
  foreach(root /usr/local /usr)
    if(EXISTS "${root}/include/ATen/ATen.h")
      set(${out_root} "${root}" PARENT_SCOPE)
      set(${out_origin} "the system" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out_root} "" PARENT_SCOPE)
endfunction()

_msprobe_find_torch(MSPROBE_TORCH_ROOT _msprobe_torch_origin)
if(NOT MSPROBE_TORCH_ROOT)
  message(FATAL_ERROR
    "LibTorch was not found: neither by Torch_DIR or CMAKE_PREFIX_PATH, nor in the active Python, in .venv, or in /usr.\n"
    "One of these brings it:\n"
    "  scripts/test                                  sets up everything that is missing\n"
    "  apt-get install libtorch-dev                  Debian 13 and later\n"
    "  python3 -m venv .venv && .venv/bin/pip install -r requirements.txt\n"
    "  -DTorch_DIR=DIR                               an unpacked LibTorch: DIR holds TorchConfig.cmake")
endif()

# Headers. Where the system's and another LibTorch are both installed, only the chosen one may be seen.
set(_include "${MSPROBE_TORCH_ROOT}/include")
set(MSPROBE_TORCH_INCLUDE_DIRS "${_include}")
if(EXISTS "${_include}/torch/csrc/api/include")
  list(APPEND MSPROBE_TORCH_INCLUDE_DIRS "${_include}/torch/csrc/api/include")
endif()

# Version.
set(_version_text)
foreach(_header torch/headeronly/version.h torch/csrc/api/include/torch/version.h torch/version.h)
  if(EXISTS "${_include}/${_header}" AND NOT _version_text)
    file(STRINGS "${_include}/${_header}" _version_text REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  endif()
endforeach()
if(NOT "${_version_text}" MATCHES "MAJOR +([0-9]+).*MINOR +([0-9]+).*PATCH +([0-9]+)")
  message(FATAL_ERROR "LibTorch in ${MSPROBE_TORCH_ROOT}: no torch/version.h with a version; the installation is not complete.\n"
                      "Install it again, or name another with -DTorch_DIR=DIR (the folder that holds TorchConfig.cmake).")
endif()
set(MSPROBE_TORCH_VERSION "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
if(MSPROBE_TORCH_VERSION VERSION_LESS MSPROBE_TORCH_MINIMUM)
  message(FATAL_ERROR
    "LibTorch ${MSPROBE_TORCH_VERSION} in ${MSPROBE_TORCH_ROOT} (${_msprobe_torch_origin}) is too old: ${MSPROBE_TORCH_MINIMUM} or newer is needed.\n"
    "It is left as it is. Name a newer one with -DTorch_DIR=DIR; one of this project's own is made by\n"
    "  python3 -m venv .venv && .venv/bin/pip install -r requirements.txt\n"
    "  -DTorch_DIR=\"$(.venv/bin/python -c 'import torch; print(torch.utils.cmake_prefix_path)')/Torch\"")
endif()

# Libraries.
set(_library_dirs "${MSPROBE_TORCH_ROOT}/lib" "${MSPROBE_TORCH_ROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}" "${MSPROBE_TORCH_ROOT}/lib64")
foreach(_name torch torch_cpu c10)
  unset(_library_${_name} CACHE)
  find_library(_library_${_name} ${_name} PATHS ${_library_dirs} NO_DEFAULT_PATH)
  if(NOT _library_${_name})
    message(FATAL_ERROR "LibTorch ${MSPROBE_TORCH_VERSION} in ${MSPROBE_TORCH_ROOT}: lib${_name}.so is not in its lib folder; the installation is "
                        "not complete.\nInstall it again, or name another with -DTorch_DIR=DIR (the folder that holds TorchConfig.cmake).")
  endif()
  set(_library "${_library_${_name}}")
  unset(_library_${_name} CACHE)
  set(_library_${_name} "${_library}")
endforeach()

# ABI: the mangled names of libc10 tell which std::string it was built with.
file(STRINGS "${_library_c10}" _new_abi REGEX "_ZN3c10.*7__cxx1112basic_string" LIMIT_COUNT 1)
if(NOT _new_abi)
  message(FATAL_ERROR
    "LibTorch ${MSPROBE_TORCH_VERSION} in ${MSPROBE_TORCH_ROOT} (${_msprobe_torch_origin}) has the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0), which "
    "the system's yaml-cpp, fmt and GoogleTest do not fit.\n"
    "PyTorch's x86-64 wheels have the new ABI from 2.7 on; for 2.1 to 2.6 take the \"cxx11 ABI\" LibTorch archive, or Debian's libtorch-dev.\n"
    "It is left as it is. Name another one with -DTorch_DIR=DIR (the folder that holds TorchConfig.cmake).")
endif()

# Some LibTorch ship copies of libraries that the rooms take from the system (fmt). Those of the system must be found first,
# or headers and library of two versions meet.
set(_first "${PROJECT_BINARY_DIR}/system_first")
file(MAKE_DIRECTORY "${_first}")
foreach(_name fmt spdlog nlohmann yaml-cpp CLI rapidjson gtest gmock)
  if(EXISTS "${_include}/${_name}" AND EXISTS "/usr/include/${_name}" AND NOT _include STREQUAL "/usr/include" AND NOT EXISTS "${_first}/${_name}")
    file(CREATE_LINK "/usr/include/${_name}" "${_first}/${_name}" SYMBOLIC)
  endif()
endforeach()

add_library(msprobe_torch INTERFACE)
add_library(msprobe::torch ALIAS msprobe_torch)
target_include_directories(msprobe_torch SYSTEM INTERFACE "${_first}" ${MSPROBE_TORCH_INCLUDE_DIRS})
# libtorch.so pulls in the GPU libraries where there are any, though no symbol of it is named; what those need in turn
# (CUDA's libraries, beside them or in the package nvidia) is found by their own run path when the program starts.
target_link_libraries(msprobe_torch INTERFACE "${_library_torch_cpu}" "${_library_c10}"
                      "-Wl,--push-state,--no-as-needed,\"${_library_torch}\",--pop-state,--allow-shlib-undefined")
get_filename_component(MSPROBE_TORCH_LIBRARY_DIR "${_library_torch}" DIRECTORY)
message(STATUS "LibTorch ${MSPROBE_TORCH_VERSION}: ${MSPROBE_TORCH_ROOT} (${_msprobe_torch_origin})")
