# Checks that every header compiles alone. If foo.cpp starts with foo.hpp, as all of ours do, that file shows it; for
# each other header there is a source that includes nothing else, compiled as part of the build. Headers of tests are
# not checked, since they would take as long as all others.

set(roots include/troupe proto graph platform actors)
if(NOT TROUPE_CORES_ONLY)
  list(APPEND roots client c kernels linalg traces opencl apps lab)
  if(TROUPE_SERVICE)
    list(APPEND roots service)
  endif()
endif()
list(TRANSFORM roots REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.hpp" OUTPUT_VARIABLE patterns)
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${patterns})
if(TROUPE_CORES_ONLY)
  list(FILTER headers EXCLUDE REGEX "^actors/[^/]*$|_actor")
endif()

if(NOT TARGET troupe_wire)
  list(FILTER headers EXCLUDE REGEX "^client/remote/")
endif()

if(NOT TARGET PkgConfig::STARPU)
  list(FILTER headers EXCLUDE REGEX "_starpu\\.hpp$")
endif()

if(NOT TROUPE_CUDA_FOUND)
  # Files named without_cuda* compile the headers that do not need CUDA.
  list(FILTER headers EXCLUDE REGEX "/cuda_[^/]*\\.hpp$")
endif()

set(sources)
foreach(header ${headers})
  string(REGEX REPLACE "hpp$" "cpp" own ${PROJECT_SOURCE_DIR}/${header})
  if(EXISTS ${own})
    file(STRINGS ${own} includes REGEX "^#include " LIMIT_COUNT 1)
    if(includes STREQUAL "#include \"${header}\"")
      continue()
    endif()
  endif()
  set(source ${PROJECT_BINARY_DIR}/header_check/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"  // must compile alone\n")
  list(APPEND sources ${source})
endforeach()
if(sources)
  add_library(header_check OBJECT ${sources})
  # The sources are compiled without optimization: only the front end matters here.
  target_compile_options(header_check PRIVATE -O0 -g0)
  target_link_libraries(header_check PRIVATE troupe_options fmt::fmt)
  foreach(library PkgConfig::HWLOC CAF::core TroupeBLAS::TroupeBLAS CLI11::CLI11 nlohmann_json::nlohmann_json
                  PkgConfig::STARPU troupe_opencl_headers troupe_cuda_headers troupe_wire)
    if(TARGET ${library})
      target_link_libraries(header_check PRIVATE ${library})
    endif()
  endforeach()
endif()
