# Traces that xz has compressed, where there is liblzma; zstd's are read in any case.
pkg_check_modules(LZMA IMPORTED_TARGET liblzma)
if(LZMA_FOUND)
  target_compile_definitions(room_trace PRIVATE SLUICE_HAS_LZMA)
  list(APPEND SLUICE_LIBRARIES PkgConfig::LZMA)
endif()
