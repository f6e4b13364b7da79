# Folders of energy tables: the installed ones, or else those of the source tree (attach/data_folder.h).
target_compile_definitions(module_attach PRIVATE
  SLUICE_SOURCE_ENERGIES="${CMAKE_SOURCE_DIR}/energies"
  SLUICE_INSTALLED_ENERGIES="${CMAKE_INSTALL_DATADIR}/sluice/energies")
