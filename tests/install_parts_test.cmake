# Tests `cmake --install` if some parts were not built (cmake/TroupePart.cmake). The project here has two parts, and
# only one of them is built.
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DGENERATOR=… -P install_parts_test.cmake
cmake_minimum_required(VERSION 3.25)

set(work ${BUILD_DIR}/install_parts_test)
file(REMOVE_RECURSE ${work})
foreach(part built missing)
  file(WRITE ${work}/${part}/CMakeLists.txt "troupe_part(${part} target_of_${part} \"\${PROJECT_SOURCE_DIR}/${part}/file\")
                                             install(FILES file DESTINATION ${part})\n")
endforeach()
file(WRITE ${work}/built/file "")
file(WRITE ${work}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(parts LANGUAGES NONE)\ninclude(GNUInstallDirs)
                                   include(${SOURCE_DIR}/cmake/TroupePart.cmake)
                                   add_subdirectory(missing)\nadd_subdirectory(built)\ntroupe_known_parts(documents)\n")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${work} -B ${work}/build -G ${GENERATOR} -Wno-dev OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# installs(RESULT TEXT argument...): installs, and checks the exit status and that the output contains the text.
function(installs expected text)
  file(REMOVE_RECURSE ${work}/prefix)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${work}/build --prefix ${work}/prefix ${ARGN} OUTPUT_VARIABLE output
                  ERROR_VARIABLE output RESULT_VARIABLE result)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${text}" found)
  if(NOT result EQUAL expected OR found EQUAL -1)
    message(FATAL_ERROR "cmake --install ${ARGN} returned ${result}, not ${expected}, or did not say '${text}':\n${output}")
  endif()
endfunction()

# holds(file...): checks that exactly these files were installed.
function(holds)
  file(GLOB_RECURSE files RELATIVE ${work}/prefix ${work}/prefix/*)
  if(NOT files STREQUAL "${ARGN}")
    message(FATAL_ERROR "installed were '${files}', not '${ARGN}'")
  endif()
endfunction()

installs(0 "Not built, not installed: missing (to build it: cmake --build ${work}/build --target target_of_missing)")
holds(built/file)
installs(0 "" --component built)
holds(built/file)
installs(1 "Not built, so it cannot be installed: missing (to build it:" --component missing)
holds()
installs(1 "There is no component 'another': choose one of built, documents, missing" --component another)
holds()
