# Builds the program of docs/accelerators-cuda.md with CUDA's compiler and the files that the install test has
# installed. Runs the program and compares its output with the document.
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DCXX=… -DLIBDIR=… -P cuda_program_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/document_block.cmake)

find_program(NVCC nvcc PATHS /usr/local/cuda/bin ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin)
if(NOT NVCC)
  message("skipped: there is no nvcc to build a program for CUDA with")
  return()
endif()
begin_document_program(cuda_program)
document_block(program docs/accelerators-cuda.md "example: cuda-program" "```cuda")
file(WRITE ${work}/scale.cu "${program}")

compile_document_program(${NVCC} -std=c++20 -ccbin ${CXX} -Werror=all-warnings ${work}/scale.cu -o ${work}/scale
                        -I${prefix}/include -L${prefix}/${LIBDIR} -ltroupe)
check_document_program(docs/accelerators-cuda.md cuda-program ${work}/scale)
message("the program of the document was built with ${NVCC} and ran")
