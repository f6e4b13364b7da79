# Folders of machine files and energy tables: the installed ones, or else those of the source tree (data_folder.h).
target_compile_definitions(room_api PRIVATE
  SLUICE_SOURCE_MACHINES="${CMAKE_SOURCE_DIR}/machines"
  SLUICE_INSTALLED_MACHINES="${CMAKE_INSTALL_DATADIR}/sluice/machines"
  SLUICE_SOURCE_ENERGIES="${CMAKE_SOURCE_DIR}/energies"
  SLUICE_INSTALLED_ENERGIES="${CMAKE_INSTALL_DATADIR}/sluice/energies")
