# What `cmake --install` and the DEB package hold.
install(TARGETS msprobe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DATADIR}/msprobe FILES_MATCHING PATTERN "*.yaml")
if(EXISTS "${PROJECT_SOURCE_DIR}/include/msprobe/plugin.h")
  install(FILES include/msprobe/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/msprobe)
endif()
file(GLOB _msprobe_docs "${PROJECT_SOURCE_DIR}/docs/*.md")
install(FILES README.md CHANGELOG.md LICENSE ${_msprobe_docs} DESTINATION ${CMAKE_INSTALL_DOCDIR})

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
