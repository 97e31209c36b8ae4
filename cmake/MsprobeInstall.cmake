# What `cmake --install` and the DEB package hold.
install(TARGETS msprobe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DATADIR}/msprobe FILES_MATCHING PATTERN "*.yaml" PATTERN "*.txt" PATTERN "golden_server.py")
if(EXISTS "${PROJECT_SOURCE_DIR}/include/msprobe/plugin.h")
  install(FILES include/msprobe/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/msprobe)
endif()
file(GLOB _msprobe_docs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md")
install(FILES README.md CHANGELOG.md LICENSE ${_msprobe_docs} DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Manual page and completion come from the program's own table of options.
install(CODE "
  execute_process(COMMAND \"$<TARGET_FILE:msprobe>\" --generate man OUTPUT_FILE \"${PROJECT_BINARY_DIR}/generated/msprobe.1\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"$<TARGET_FILE:msprobe>\" --generate complete-bash OUTPUT_FILE \"${PROJECT_BINARY_DIR}/generated/msprobe\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES "${PROJECT_BINARY_DIR}/generated/msprobe.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES "${PROJECT_BINARY_DIR}/generated/msprobe" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME msprobe)
set(CPACK_PACKAGE_CONTACT "msprobe developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# LibTorch out of a Python package belongs to no Debian package: dpkg-shlibdeps must be told where it lies.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${MSPROBE_TORCH_LIBRARY_DIR}")
include(CPack)
