# cmake -DFROM=tests/data -DTO=<folder> -P UnpackTestData.cmake: makes TO a copy of FROM in which x.tar.gz is the folder x;
# without scripts and README.
file(REMOVE_RECURSE "${TO}")
file(COPY "${FROM}/" DESTINATION "${TO}" NO_SOURCE_PERMISSIONS
     PATTERN "*.tar.gz" EXCLUDE PATTERN "*.py" EXCLUDE PATTERN "*.md" EXCLUDE)
file(GLOB_RECURSE archives RELATIVE "${FROM}" "${FROM}/*.tar.gz")
foreach(archive ${archives})
  string(REGEX REPLACE "\\.tar\\.gz$" "" folder "${archive}")
  file(ARCHIVE_EXTRACT INPUT "${FROM}/${archive}" DESTINATION "${TO}/${folder}")
endforeach()
