# Writes OUTPUT (version_info.h) from VERSION, TORCH and the commit of SOURCE; leaves it alone when nothing changed.
set(commit "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND described)
    set(commit "${described}")
  endif()
endif()
set(text "#pragma once
#define MSPROBE_VERSION \"${VERSION}\"
#define MSPROBE_COMMIT \"${commit}\"
#define MSPROBE_BUILT_WITH_TORCH \"${TORCH}\"
")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
