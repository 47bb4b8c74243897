# Builds the program of docs/opencl.md with the files that the install test has installed, runs it on pocl's devices,
# and compares its output with the document.
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DCXX=… -DLIBDIR=… -P opencl_program_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/document_block.cmake)

if(NOT EXISTS /etc/OpenCL/vendors/pocl.icd)
  message("skipped: there is no pocl (package pocl-opencl-icd) to run a program for OpenCL on")
  return()
endif()
begin_document_program(opencl_program)
document_block(program docs/opencl.md "example: opencl-program" "```cpp")
file(WRITE ${work}/scale.cpp "${program}")

compile_document_program(${CXX} -std=c++20 -Wall -Wextra -Werror ${work}/scale.cpp -o ${work}/scale
                        -isystem ${BUILD_DIR}/opencl_headers -DCL_TARGET_OPENCL_VERSION=300
                        -I${prefix}/include -L${prefix}/${LIBDIR} -ltroupe)
set(ENV{OCL_ICD_VENDORS} pocl.icd)
set(ENV{OCL_ICD_FILENAMES} "")
set(ENV{POCL_DEVICES} "basic basic")
set(ENV{XDG_CACHE_HOME} ${work}/cache)
check_document_program(docs/opencl.md opencl-program ${work}/scale)
message("the program of the document was built and ran on pocl")
