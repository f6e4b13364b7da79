# The mechanisms: each folder src/mech/NAME is one and defines the symbol mech_NAME. This file generates the list of all
# mechanisms, so that adding or removing a folder changes no other file.
file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${CMAKE_SOURCE_DIR}/src/mech/*/)
foreach(folder IN LISTS folders)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.c)
  list(FILTER files EXCLUDE REGEX "/test_[^/]*$")
  if(files)
    cmake_path(GET folder FILENAME name)
    list(APPEND sources ${files})
    string(APPEND declarations "extern const struct mech mech_${name};\n")
    string(APPEND rows "\t&mech_${name},\n")
    math(EXPR count "${count} + 1")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/mech_list.c CONTENT [[
#include "mech/list.h"

@declarations@
const struct mech *const mech_list[] = {
@rows@};
const size_t mech_list_count = sizeof mech_list / sizeof *mech_list;
]] @ONLY)
list(APPEND sources ${CMAKE_BINARY_DIR}/mech_list.c)
