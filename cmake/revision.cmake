# Writes HEADER with the git revision of the folder SOURCE, or "" outside a repository. An unchanged revision leaves the
# file untouched.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE revision
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(text "#define SLUICE_REVISION \"${revision}\"\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${HEADER} "${text}")
endif()
