# Checks that Doxygen understands the comments of the public headers: with docs/Doxyfile it must give no warnings.
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DDOXYGEN=… -P documentation_test.cmake
cmake_minimum_required(VERSION 3.25)

if(NOT DOXYGEN)
  message("skipped: doxygen is not installed")
  return()
endif()
set(ENV{TROUPE_API_FOLDER} ${BUILD_DIR}/documentation_test)
file(MAKE_DIRECTORY ${BUILD_DIR}/documentation_test)
file(READ ${SOURCE_DIR}/docs/Doxyfile configuration)
file(WRITE ${BUILD_DIR}/documentation_test/Doxyfile "${configuration}\nGENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n")
execute_process(COMMAND ${DOXYGEN} ${BUILD_DIR}/documentation_test/Doxyfile WORKING_DIRECTORY ${SOURCE_DIR}
                OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE result)
string(STRIP "${said}" said)
if(NOT result EQUAL 0 OR NOT said STREQUAL "")
  message(FATAL_ERROR "doxygen (${result}):\n${said}")
endif()

# Checks that these names are in their groups of the documentation.
foreach(expected client.Runtime codelets.Codelet linalg.Factorization linalg.TileCodelets traces.TraceDescription
                 policies.PlacingPolicy simulation.SimulationOptions plugins.PluginRegistrar c.troupe_error)
  string(REPLACE "." ";" parts ${expected})
  list(GET parts 0 group)
  list(GET parts 1 name)
  file(READ ${BUILD_DIR}/documentation_test/xml/group__${group}.xml text)
  if(NOT text MATCHES "[>:]${name}<")
    message(FATAL_ERROR "group ${group} of the reference has no ${name}")
  endif()
endforeach()
