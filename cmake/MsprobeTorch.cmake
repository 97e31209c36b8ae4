# Finds LibTorch and defines the interface target msprobe::torch.
execute_process(COMMAND python3 -c "import torch; print(torch.utils.cmake_prefix_path)"
                OUTPUT_VARIABLE _python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(Torch REQUIRED HINTS ${_python_torch})
add_library(msprobe_torch INTERFACE)
add_library(msprobe::torch ALIAS msprobe_torch)
target_link_libraries(msprobe_torch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(msprobe_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
