# Where machine files and tables of energies are: the installed ones, below a folder above this code, else the source tree's.
target_compile_definitions(room_api PRIVATE
  SLUICE_SOURCE_MACHINES="${CMAKE_SOURCE_DIR}/machines"
  SLUICE_INSTALLED_MACHINES="${CMAKE_INSTALL_DATADIR}/sluice/machines"
  SLUICE_SOURCE_ENERGIES="${CMAKE_SOURCE_DIR}/energies"
  SLUICE_INSTALLED_ENERGIES="${CMAKE_INSTALL_DATADIR}/sluice/energies")
