# Runs at install time. Copies the public headers to TROUPE_STAGING_DIR/troupe: those of include/troupe, those of
# PublicHeaders.cmake, and all that they include, directly or indirectly. `#include "kernels/codelets.hpp"` becomes `#include
# <troupe/kernels/codelets.hpp>`, and the umbrella headers become <troupe/linalg.hpp> and <troupe/traces.hpp>. A public
# header that needs CAF, hwloc, BLAS, OpenCL or a JSON library is an error, since users do not have these.

cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE ${TROUPE_STAGING_DIR})
file(GLOB queue RELATIVE ${TROUPE_SOURCE_DIR} ${TROUPE_SOURCE_DIR}/include/troupe/*.hpp)
include(${CMAKE_CURRENT_LIST_DIR}/PublicHeaders.cmake)
list(APPEND queue ${TROUPE_OTHER_PUBLIC_HEADERS})
set(seen ${queue})
set(include_regex "#[ \t]*include[ \t]*\"([^\"]+)\"")

# installed_name(VARIABLE HEADER): sets VARIABLE to the name below <troupe/> under which the header is installed.
function(installed_name variable header)
  string(REGEX REPLACE "^include/troupe/|^(linalg|traces)/(linalg|traces)\\.hpp$" "" name "${header}")
  if(name STREQUAL "")
    cmake_path(GET header FILENAME name)
  endif()
  set(${variable} ${name} PARENT_SCOPE)
endfunction()

while(queue)
  list(POP_FRONT queue header)
  file(READ ${TROUPE_SOURCE_DIR}/${header} text)
  if(text MATCHES "#[ \t]*include[ \t]*[<\"](caf/|fmt/|hwloc|cblas|lapack|cuda|CL/|nlohmann/)")
    message(FATAL_ERROR "public header ${header} includes what users of the library cannot have")
  endif()

  # A quoted include starts at the root of the repository or of include/, or lies beside the file that has it.
  string(REGEX MATCHALL "${include_regex}" includes "${text}")
  foreach(include ${includes})
    string(REGEX REPLACE "${include_regex}" "\\1" name "${include}")
    cmake_path(GET header PARENT_PATH folder)
    set(target)
    foreach(candidate ${name} include/${name} ${folder}/${name})
      if(NOT target AND EXISTS ${TROUPE_SOURCE_DIR}/${candidate})
        set(target ${candidate})
      endif()
    endforeach()
    if(NOT target)
      message(FATAL_ERROR "${header} includes \"${name}\", which is not there")
    endif()
    installed_name(installed ${target})
    string(REPLACE "${include}" "#include <troupe/${installed}>" text "${text}")
    if(NOT target IN_LIST seen)
      list(APPEND seen ${target})
      list(APPEND queue ${target})
    endif()
  endforeach()

  installed_name(installed ${header})
  file(WRITE ${TROUPE_STAGING_DIR}/troupe/${installed} "${text}")
endwhile()
