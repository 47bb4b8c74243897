# Builds the program of docs/opencl.md against the tree that the install test has made, runs it on pocl's
# devices, and compares what it prints with what the document says.
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DCXX=… -DLIBDIR=… -P opencl_program_test.cmake
cmake_minimum_required(VERSION 3.25)

if(NOT EXISTS /etc/OpenCL/vendors/pocl.icd)
  message("skipped: there is no pocl (package pocl-opencl-icd) to run a program for OpenCL on")
  return()
endif()
set(prefix ${BUILD_DIR}/install_test/moved)
set(work ${BUILD_DIR}/opencl_program_test)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
if(NOT EXISTS ${prefix})
  message(FATAL_ERROR "${prefix} is not there: the install test makes it")
endif()

# fenced_block(VARIABLE MARKER FENCE): the text of the first fenced block after a marker comment.
file(READ ${SOURCE_DIR}/docs/opencl.md document)
function(fenced_block variable marker fence)
  if(NOT document MATCHES "<!-- ${marker} -->\n${fence}\n([^`]*)```")
    message(FATAL_ERROR "docs/opencl.md has no ${fence} block after <!-- ${marker} -->")
  endif()
  set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()
fenced_block(program "example: opencl-program" "```cpp")
fenced_block(expected "output: opencl-program" "```")
file(WRITE ${work}/scale.cpp "${program}")

execute_process(COMMAND ${CXX} -std=c++20 -Wall -Wextra -Werror ${work}/scale.cpp -o ${work}/scale
                        -isystem ${BUILD_DIR}/opencl_headers -DCL_TARGET_OPENCL_VERSION=300
                        -I${prefix}/include -L${prefix}/${LIBDIR} -ltroupe
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "building failed (${result}):\n${output}")
endif()
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
set(ENV{OCL_ICD_VENDORS} pocl.icd)
set(ENV{OCL_ICD_FILENAMES} "")
set(ENV{POCL_DEVICES} "basic basic")
set(ENV{XDG_CACHE_HOME} ${work}/cache)
execute_process(COMMAND ${work}/scale OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT output STREQUAL expected)
  message(FATAL_ERROR "the program (${result}) printed\n${output}${errors}\nand the document says\n${expected}")
endif()
message("the program of the document was built and ran on pocl")
