# add_static_library(NAME FILE SONAME): builds libNAME_static.a, which loads the shared library FILE of the target NAME
# (static_library.c). The installed archive searches for it in the installation folder.
set(static_library_source ${CMAKE_CURRENT_LIST_DIR}/static_library)
function(add_static_library name file soname)
  set(entries ${CMAKE_CURRENT_BINARY_DIR}/${name}_static.inc)
  add_custom_command(
    OUTPUT ${entries}
    COMMAND ${CMAKE_NM} -D --defined-only ${file} > ${name}_static.nm
    COMMAND awk -f ${static_library_source}.awk ${name}_static.nm > ${entries}
    DEPENDS ${name} ${file} ${static_library_source}.awk
    COMMENT "Functions of lib${name}_static.a")
  add_custom_target(${name}_entries DEPENDS ${entries})
  foreach(place IN ITEMS built installed)
    set(target ${name}_static_${place})
    set(folder ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
    if(place STREQUAL installed)
      set(folder ${CMAKE_INSTALL_FULL_LIBDIR}/sluice)
    endif()
    add_library(${target} STATIC ${static_library_source}.c)
    add_dependencies(${target} ${name}_entries)
    target_compile_definitions(${target} PRIVATE ENTRIES="${entries}" LIBRARY="${soname}" FOLDER="${folder}")
    target_compile_options(${target} PRIVATE -fno-sanitize=all) # it is linked into the user's program
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}_static POSITION_INDEPENDENT_CODE ON)
  endforeach()
  set_target_properties(${name}_static_built PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  set_target_properties(${name}_static_installed PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/installed)
  install(FILES $<TARGET_FILE:${name}_static_installed> DESTINATION ${CMAKE_INSTALL_LIBDIR}/sluice)
endfunction()
