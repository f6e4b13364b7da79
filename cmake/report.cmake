# The parts of the page that `sluice report` writes: our files (report/) and Debian's charting library. Both are copied
# to one folder of the build, which has the same path relative to the command as in an installation.
find_file(CHART_JS chart.min.js PATHS $ENV{UNPACKED_PACKAGES}/usr/share/javascript/chart.js
          /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH REQUIRED)
file(GLOB report_parts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/report/*)
foreach(part IN LISTS report_parts ITEMS ${CHART_JS})
  get_filename_component(name ${part} NAME)
  configure_file(${part} ${CMAKE_BINARY_DIR}/share/sluice/report/${name} COPYONLY)
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/sluice/report DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
