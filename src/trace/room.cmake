# Instruction traces compressed with xz are read only if liblzma is present; those of zstd always are.
pkg_check_modules(LZMA IMPORTED_TARGET liblzma)
if(LZMA_FOUND)
  target_compile_definitions(room_trace PRIVATE SLUICE_HAS_LZMA)
  list(APPEND SLUICE_LIBRARIES PkgConfig::LZMA)
endif()
