# The files whose functions are loops over lanes are compiled for vectorisation. On x86-64 they are compiled once for
# each level of the instruction set; levels.c selects one at run time.
set(simt_lane_files)
foreach(file int float compare convert memory matrix isa)
  list(APPEND simt_lane_files ${CMAKE_SOURCE_DIR}/src/simt/exec_${file}.c)
endforeach()
set_source_files_properties(${simt_lane_files} PROPERTIES COMPILE_OPTIONS "-O3;-fno-trapping-math")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # no vectors of two counters, as in the modules that simulate cycles
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/simt/run.c PROPERTIES COMPILE_OPTIONS "-fno-tree-slp-vectorize")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/simt/convert.c ${CMAKE_SOURCE_DIR}/src/simt/exec_round.c
                              PROPERTIES COMPILE_OPTIONS "-frounding-math")
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(simt_flags_avx2 -mavx2 -mfma -mbmi2)
  set(simt_flags_avx512 ${simt_flags_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512)
  foreach(level avx2 avx512)
    add_library(room_simt_${level} OBJECT ${simt_lane_files})
    target_include_directories(room_simt_${level} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_compile_definitions(room_simt_${level} PRIVATE SIMT_ISA=${level})
    target_compile_options(room_simt_${level} PRIVATE ${simt_flags_${level}})
    list(APPEND room_objects $<TARGET_OBJECTS:room_simt_${level}>)
  endforeach()
  target_compile_definitions(room_simt PRIVATE SIMT_X86_LEVELS)
endif()
