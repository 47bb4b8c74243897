# Builds the program of docs/accelerators-cuda.md with CUDA's compiler against the tree that the install test has made,
# runs it, and compares what it prints with what the document says.
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DCXX=… -DLIBDIR=… -P cuda_program_test.cmake
cmake_minimum_required(VERSION 3.25)

find_program(NVCC nvcc PATHS /usr/local/cuda/bin ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin)
if(NOT NVCC)
  message("skipped: there is no nvcc to build a program for CUDA with")
  return()
endif()
set(prefix ${BUILD_DIR}/install_test/moved)
set(work ${BUILD_DIR}/cuda_program_test)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
if(NOT EXISTS ${prefix})
  message(FATAL_ERROR "${prefix} is not there: the install test makes it")
endif()

# fenced_block(VARIABLE MARKER FENCE): the text of the first fenced block after a marker comment.
file(READ ${SOURCE_DIR}/docs/accelerators-cuda.md document)
function(fenced_block variable marker fence)
  if(NOT document MATCHES "<!-- ${marker} -->\n${fence}\n([^`]*)```")
    message(FATAL_ERROR "docs/accelerators-cuda.md has no ${fence} block after <!-- ${marker} -->")
  endif()
  set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()
fenced_block(program "example: cuda-program" "```cuda")
fenced_block(expected "output: cuda-program" "```")
file(WRITE ${work}/scale.cu "${program}")

execute_process(COMMAND ${NVCC} -std=c++20 -ccbin ${CXX} -Werror=all-warnings ${work}/scale.cu -o ${work}/scale
                        -I${prefix}/include -L${prefix}/${LIBDIR} -ltroupe
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "building failed (${result}):\n${output}")
endif()
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
execute_process(COMMAND ${work}/scale OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT output STREQUAL expected)
  message(FATAL_ERROR "the program (${result}) printed\n${output}${errors}\nand the document says\n${expected}")
endif()
message("the program of the document was built with ${NVCC} and ran")
