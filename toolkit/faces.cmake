# The faces of CUDA 11 and 13 (`sluice toolkit --cuda`): cuda-11 and cuda-13 in the toolkit's folder, each of which
# serves as CUDA_HOME. The toolkit's own folder has the face of CUDA 12. A face has its version files, its nvcc, and for
# each header a file that selects the version and includes the header. Links lead to everything else.
#
# clang 14 knows CUDA up to 11.5. The folder clang is a toolkit of that version for it.
set(face_links lib64 lib nvvm samples sdk absent clang)
set(face_releases 11 11.5.0 12 12.4.0 13 13.0.0)

# add_face(FOLDER CUDA): the version files, and nvcc for a build and for an installation.
function(add_face folder cuda)
  list(FIND face_releases ${cuda} place)
  math(EXPR place "${place} + 1")
  list(GET face_releases ${place} release)
  configure_file(version.json.in ${toolkit}/${folder}/version.json @ONLY)
  configure_file(version.txt.in ${toolkit}/${folder}/version.txt @ONLY)
  file(RELATIVE_PATH sluice_from_bin ${toolkit}/${folder}/bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/sluice)
  configure_file(bin/nvcc.in ${toolkit}/${folder}/bin/nvcc @ONLY)
  file(RELATIVE_PATH sluice_from_bin /${toolkit_install}/${folder}/bin /${CMAKE_INSTALL_BINDIR}/sluice)
  configure_file(bin/nvcc.in ${CMAKE_CURRENT_BINARY_DIR}/${folder}/nvcc @ONLY)
  install(FILES ${toolkit}/${folder}/version.json ${toolkit}/${folder}/version.txt
          DESTINATION ${toolkit_install}/${folder})
  install(PROGRAMS bin/ptxas bin/fatbinary bin/__nvcc_device_query ${CMAKE_CURRENT_BINARY_DIR}/${folder}/nvcc
          DESTINATION ${toolkit_install}/${folder}/bin)
  foreach(program IN ITEMS ptxas fatbinary __nvcc_device_query)
    configure_file(bin/${program} ${toolkit}/${folder}/bin/${program} COPYONLY)
  endforeach()
endfunction()

# Headers that continue the search for a file of their name are linked: their place in the search path matters.
file(GLOB_RECURSE face_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/include/cuda
     ${CMAKE_SOURCE_DIR}/include/cuda/*.h ${CMAKE_SOURCE_DIR}/include/cuda/*.hpp)
list(FILTER face_headers EXCLUDE REGEX "^(bits|thrust)/")

add_face(. 12)
foreach(cuda IN ITEMS 11 13)
  add_face(cuda-${cuda} ${cuda})
  foreach(header IN LISTS face_headers)
    string(REGEX REPLACE "[^/]+" ".." up cuda-${cuda}/${header})
    file(CONFIGURE OUTPUT ${toolkit}/cuda-${cuda}/include/${header} @ONLY
         CONTENT "#ifndef __SLUICE_CUDA__\n#define __SLUICE_CUDA__ ${cuda}\n#endif\n#include \"${up}/include/${header}\"\n")
  endforeach()
  foreach(folder IN ITEMS bits thrust)
    file(CREATE_LINK ../../include/${folder} ${toolkit}/cuda-${cuda}/include/${folder} SYMBOLIC)
  endforeach()
  foreach(name IN LISTS face_links)
    file(CREATE_LINK ../${name} ${toolkit}/cuda-${cuda}/${name} SYMBOLIC)
    install(CODE "file(CREATE_LINK ../${name}
      \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${toolkit_install}/cuda-${cuda}/${name} SYMBOLIC)")
  endforeach()
  install(DIRECTORY ${toolkit}/cuda-${cuda}/include DESTINATION ${toolkit_install}/cuda-${cuda})
endforeach()

set(release 11.5.0)
configure_file(version.json.in ${toolkit}/clang/version.json @ONLY)
install(FILES ${toolkit}/clang/version.json DESTINATION ${toolkit_install}/clang)
foreach(name IN ITEMS bin include lib64 nvvm)
  file(CREATE_LINK ../${name} ${toolkit}/clang/${name} SYMBOLIC)
  install(CODE "file(CREATE_LINK ../${name}
    \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${toolkit_install}/clang/${name} SYMBOLIC)")
endforeach()
