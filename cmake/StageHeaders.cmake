# Runs at install time. Copies the public headers to TROUPE_STAGING_DIR/troupe: the headers named below and all that
# they include, directly or indirectly. `#include "graph/codelets/handle.hpp"` becomes `#include
# <troupe/graph/codelets/handle.hpp>`. The umbrella headers become <troupe/troupe.hpp>, <troupe/linalg.hpp> and
# <troupe/traces.hpp>. A public header that needs CAF, hwloc, BLAS, OpenCL or a JSON library is an error, since users do
# not have these.

cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE ${TROUPE_STAGING_DIR})
set(umbrellas "^(client|linalg|traces)/(troupe|linalg|traces)\\.hpp$")
set(queue client/troupe.hpp linalg/linalg.hpp traces/traces.hpp graph/tasks/upward_ranks.hpp kernels/codelets.hpp kernels/blas_threads.hpp
          # Headers for plug-ins of the service, policies of programs and kernels that use OpenMP.
          client/plugin.hpp client/openmp_team.hpp
          actors/scheduler/policy.hpp actors/scheduler/projected_loads.hpp)
set(seen ${queue})
set(include_regex "#[ \t]*include[ \t]*\"([^\"]+)\"")

while(queue)
  list(POP_FRONT queue header)
  file(READ ${TROUPE_SOURCE_DIR}/${header} text)
  if(text MATCHES "#[ \t]*include[ \t]*[<\"](caf/|fmt/|hwloc|cblas|lapack|cuda|CL/|nlohmann/)")
    message(FATAL_ERROR "public header ${header} includes what users of the library cannot have")
  endif()

  # A quoted include starts at the root of the repository, or lies beside the file that has it.
  string(REGEX MATCHALL "${include_regex}" includes "${text}")
  foreach(include ${includes})
    string(REGEX REPLACE "${include_regex}" "\\1" name "${include}")
    cmake_path(GET header PARENT_PATH folder)
    set(target ${name})
    if(NOT EXISTS ${TROUPE_SOURCE_DIR}/${target})
      set(target ${folder}/${name})
    endif()
    if(NOT EXISTS ${TROUPE_SOURCE_DIR}/${target})
      message(FATAL_ERROR "${header} includes \"${name}\", which is not there")
    endif()
    string(REGEX REPLACE ${umbrellas} "\\2.hpp" installed ${target})
    string(REPLACE "${include}" "#include <troupe/${installed}>" text "${text}")
    if(NOT target IN_LIST seen)
      list(APPEND seen ${target})
      list(APPEND queue ${target})
    endif()
  endforeach()

  string(REGEX REPLACE ${umbrellas} "\\2.hpp" installed ${header})
  file(WRITE ${TROUPE_STAGING_DIR}/troupe/${installed} "${text}")
endwhile()
