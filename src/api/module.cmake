# Folders of machine files: the installed ones, or else those of the source tree (attach/data_folder.h).
target_compile_definitions(module_api PRIVATE
  SLUICE_SOURCE_MACHINES="${CMAKE_SOURCE_DIR}/machines"
  SLUICE_INSTALLED_MACHINES="${CMAKE_INSTALL_DATADIR}/sluice/machines")
