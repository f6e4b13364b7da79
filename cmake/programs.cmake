# Target `programs`, not part of `all`: compiles the papers' programs with this build's `sluice cc`. Each folder
# programs/NAME with a NAME.cu yields the program bin/programs/NAME and its device code NAME.ptx.
set(programs ${CMAKE_BINARY_DIR}/bin/programs)
file(MAKE_DIRECTORY ${programs})
file(GLOB program_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/programs/*/*.cu)
file(GLOB_RECURSE program_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/cuda/*.h ${CMAKE_SOURCE_DIR}/programs/*.h)
foreach(source IN LISTS program_sources)
  get_filename_component(name ${source} NAME_WE)
  add_custom_command(
    OUTPUT ${programs}/${name}.ptx
    COMMAND sluice cc --ptx ${source} -o ${programs}/${name}.ptx
    DEPENDS ${source} ${program_headers} ${CMAKE_BINARY_DIR}/toolkit/nvvm/libdevice/libdevice.10.bc
    COMMENT "Compiling program ${name}"
    VERBATIM)
  # An installed program finds the runtime in its parent folder.
  add_custom_command(
    OUTPUT ${programs}/${name}
    COMMAND sluice cc --device-ptx ${programs}/${name}.ptx ${source} -Wl,-rpath,$ORIGIN/.. -o ${programs}/${name}
    DEPENDS ${programs}/${name}.ptx
    COMMENT "Linking program ${name}"
    VERBATIM)
  list(APPEND program_binaries ${programs}/${name})
endforeach()
add_custom_target(programs DEPENDS ${program_binaries})
add_dependencies(programs toolkit cudart)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/programs DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
install(DIRECTORY ${programs}/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/sluice/programs USE_SOURCE_PERMISSIONS)
