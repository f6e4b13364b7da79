# Where machine files are: the installed ones, below a folder above this code, else the source tree's.
target_compile_definitions(room_api PRIVATE
  SLUICE_SOURCE_MACHINES="${CMAKE_SOURCE_DIR}/machines"
  SLUICE_INSTALLED_MACHINES="${CMAKE_INSTALL_DATADIR}/sluice/machines")
