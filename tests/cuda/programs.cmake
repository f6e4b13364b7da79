# Target `test_programs`, not part of `all`: compiles the tests' CUDA programs once, with this build's `sluice cc`, for
# all tests that run them. The test `test_programs_built` builds it when a test needs one of the programs, so that ctest
# needs no other command. SLUICE_TEST_PROGRAMS names the folder of another build with compiled programs. run.sh runs
# these with this build's libcudart.
set(SLUICE_TEST_PROGRAMS "" CACHE PATH "tests/programs of a build folder whose compiled test programs are used")
set(test_programs_folder ${CMAKE_BINARY_DIR}/tests/programs)
if(SLUICE_TEST_PROGRAMS)
  set(test_programs_folder ${SLUICE_TEST_PROGRAMS})
endif()
file(MAKE_DIRECTORY ${test_programs_folder})
file(GLOB cc_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/cc/*.c)

# Compiles SOURCE to tests/programs/NAME in the build folder, with FLAG... and the flags in its comment "// Flags: ".
function(add_test_program name source)
  if(SLUICE_TEST_PROGRAMS)
    return()
  endif()
  file(STRINGS ${source} own_flags REGEX "^// Flags: ")
  string(REPLACE "// Flags: " "" own_flags "${own_flags}")
  separate_arguments(own_flags)
  cmake_path(GET source PARENT_PATH folder)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  add_custom_command(
    OUTPUT ${test_programs_folder}/${name}
    COMMAND sluice cc ${ARGN} ${source} -o ${test_programs_folder}/${name} ${own_flags}
    DEPENDS ${source} ${headers} ${program_headers} ${cc_sources}
            ${CMAKE_BINARY_DIR}/toolkit/nvvm/libdevice/libdevice.10.bc
    COMMENT "Compiling test program ${name}"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY SLUICE_TEST_PROGRAMS ${test_programs_folder}/${name})
endfunction()

# Called after the last add_test_program().
function(add_test_programs_target)
  get_property(binaries GLOBAL PROPERTY SLUICE_TEST_PROGRAMS)
  add_custom_target(test_programs DEPENDS ${binaries})
  add_dependencies(test_programs toolkit cudart nvrtc nvml cublas cublasLt cufft curand cusparse
                   cublas_static_built cublasLt_static_built cufft_static_built curand_static_built cusparse_static_built)
  if(SLUICE_TEST_PROGRAMS)
    return()
  endif()
  add_test(NAME test_programs_built COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target test_programs)
  # The build may relink the command, so no other test runs at that time.
  set_tests_properties(test_programs_built PROPERTIES FIXTURES_SETUP test_programs RUN_SERIAL TRUE)
endfunction()
