# make install: the command, the library and its header, pkg-config and CMake package files, machines, data and pages.
include(CMakePackageConfigHelpers)

install(TARGETS sluice_shared EXPORT sluice LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                            NAMELINK_COMPONENT Unspecified)
install(TARGETS sluice RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS sluice_clang LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sluice)
install(FILES include/sluice.h ${CMAKE_BINARY_DIR}/include/sluice_version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Headers for mechanisms that users write.
set(seam_headers src/seam/mech.h src/seam/mech_events.h src/seam/mech_live_stats.h src/seam/mech_requests.h src/seam/mech_parts.h
                 src/seam/mech_table.h src/seam/mech_lines.h src/seam/mech_levels.h src/seam/mech_numbers.h src/seam/mech_strides.h
                 src/seam/mech_listed.h src/seam/mech_bulk.h)
install(FILES ${seam_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/seam)
install(FILES src/base/table.h src/base/traffic.h src/base/diag.h src/base/arena.h src/base/bulk.h src/base/tensor_map.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/base)
# Headers for the passes of such a mechanism (docs/reference/passes.md).
install(FILES src/flow/pass.h src/flow/analyses.h src/flow/flow.h src/flow/affine.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/flow)
install(FILES src/ptx/module.h src/ptx/ops.h src/ptx/ops_compute.h src/ptx/ops_move.h src/ptx/ops_memory.h src/ptx/ops_control.h src/ptx/ops_bulk.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/ptx)
install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
install(DIRECTORY machines DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
install(DIRECTORY energies DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
install(DIRECTORY templates DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
install(FILES python/sluice.py python/sluice_gpu.py DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice/python)
install(FILES docs/man/man1/sluice.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/man/man3/sluice.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
install(FILES completions/sluice.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sluice)
# The pages, laid out as in the source tree, so that their links resolve (tests/docs/check_links.py).
install(FILES LICENSE README.md ARCHITECTURE.md CONTRIBUTING.md TESTING.md CHANGELOG.md CITATION.cff Containerfile sluice.def
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB_RECURSE pages RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS docs/*.md programs/*.md experiments/*.md examples/*.md
                                                                     examples/*.cu examples/*.yaml
                                                                     examples/mechanisms/*.c examples/c/*.c examples/python/*.py src/*.md docs/*.png docs/*.svg)
foreach(page IN LISTS pages seam_headers ITEMS include/sluice.h src/flow/pass.h src/flow/analyses.h src/flow/flow.h src/ptx/module.h tools/packages.txt)
  cmake_path(GET page PARENT_PATH folder)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

# sluice.pc derives the prefix from its own location, so `cmake --install --prefix` and a moved installation work.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/sluice.pc.in sluice.pc @ONLY)
# The build folder's, which env.sh puts into pkg-config's path. Programs find the library there without an installation.
configure_file(cmake/sluice-build.pc.in pkgconfig/sluice.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sluice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
install(EXPORT sluice NAMESPACE sluice:: DESTINATION ${package} FILE sluice-config.cmake)
write_basic_package_version_file(sluice-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sluice-config-version.cmake DESTINATION ${package})
