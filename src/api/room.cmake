# Folders of the machine files and energy tables. The installed ones are searched first, below a parent folder of the
# library. The source tree's are used otherwise.
target_compile_definitions(room_api PRIVATE
  SLUICE_SOURCE_MACHINES="${CMAKE_SOURCE_DIR}/machines"
  SLUICE_INSTALLED_MACHINES="${CMAKE_INSTALL_DATADIR}/sluice/machines"
  SLUICE_SOURCE_ENERGIES="${CMAKE_SOURCE_DIR}/energies"
  SLUICE_INSTALLED_ENERGIES="${CMAKE_INSTALL_DATADIR}/sluice/energies")
