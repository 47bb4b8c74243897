# Writes the one source file that knows the commit, at each build. Leaves it unchanged if nothing has changed.
# cmake -DFILE=… -DSOURCE_DIR=… -DNUMBER=… -DCOMPILER=… -DBUILD_TYPE=… -DSERVICE=… -DCUDA=… -DPYTHON=… -DSANITIZERS=…
#       -P WriteVersion.cmake
set(commit)
find_program(git git)
# A tree that lies inside another repository's work tree has no commit of its own.
if(git AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${git} -C ${SOURCE_DIR} describe --always --exclude=* --abbrev=12 --dirty=+ OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
foreach(feature SERVICE CUDA PYTHON)
  if(${feature})
    set(${feature} true)
  else()
    set(${feature} false)
  endif()
endforeach()
file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [[
// Written by cmake/WriteVersion.cmake.
#include "troupe/version.hpp"

namespace troupe {

const Version& version() {
  static const Version built{.number = "@NUMBER@",
                             .commit = "@commit@",
                             .compiler = "@COMPILER@",
                             .build_type = "@BUILD_TYPE@",
                             .service = @SERVICE@,
                             .cuda = @CUDA@,
                             .opencl = true,
                             .python = @PYTHON@,
                             .sanitizers = "@SANITIZERS@"};
  return built;
}

}  // namespace troupe
]])
