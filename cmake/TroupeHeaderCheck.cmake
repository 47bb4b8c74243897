# Checks that every public header compiles alone, as a program may include it first. If foo.cpp starts with foo.hpp, that
# file shows it; for each other header there is a source that includes nothing else, compiled as part of the build. The
# other headers are compiled alone by scripts/tidy where they have changed: all of them take four minutes.

include(${CMAKE_CURRENT_LIST_DIR}/PublicHeaders.cmake)
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include/troupe/*.hpp)
list(APPEND headers ${TROUPE_OTHER_PUBLIC_HEADERS})

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
  target_link_libraries(header_check PRIVATE troupe_options)
  if(TARGET troupe_opencl_headers)
    target_link_libraries(header_check PRIVATE troupe_opencl_headers)
  endif()
endif()
