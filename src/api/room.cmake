# Where machine files are: the source tree's while it is there, else the installed ones.
target_compile_definitions(room_api PRIVATE
  SLUICE_SOURCE_MACHINES="${CMAKE_SOURCE_DIR}/machines"
  SLUICE_INSTALLED_MACHINES="${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/sluice/machines")
