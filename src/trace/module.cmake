# liblzma, if present, reads instruction traces that xz has compressed. zstd is always supported.
pkg_check_modules(LZMA IMPORTED_TARGET liblzma)
if(LZMA_FOUND)
  target_compile_definitions(module_trace PRIVATE SLUICE_HAS_LZMA)
  list(APPEND SLUICE_LIBRARIES PkgConfig::LZMA)
endif()
