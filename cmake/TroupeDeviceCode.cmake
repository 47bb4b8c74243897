# Kernels of our own for GPUs. nvcc, if it is installed, compiles them to machine code for several architectures in one
# file, whose bytes become part of a library. Without nvcc there are no bytes, and tasks that need those kernels stay on
# cores.
set(TROUPE_CUDA_ARCHITECTURES 75-virtual 80-real 90-real 100-real CACHE STRING
    "GPUs to compile kernels for: compute capabilities as CMake writes them, 90-real (machine code), 75-virtual (for all later ones)")

set(TROUPE_NVCC_FOUND FALSE)
if(TROUPE_CUDA_FOUND)
  find_program(TROUPE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH ${CUDAToolkit_BIN_DIR} PATHS /usr/local/cuda PATH_SUFFIXES bin
               DOC "NVIDIA's compiler for device code")
  mark_as_advanced(TROUPE_NVCC)
  if(TROUPE_NVCC)
    set(TROUPE_NVCC_FOUND TRUE)
  else()
    message(STATUS "nvcc: none, kernels of our own for GPUs are left out")
  endif()
endif()

# troupe_device_code(TARGET SOURCE NAMESPACE HEADER): compiles SOURCE, a .cu file of the current folder, and adds to
# TARGET a function `std::span<const std::byte> device_code()` in NAMESPACE, declared in HEADER. Further arguments: the
# files that SOURCE includes.
function(troupe_device_code target source namespace header)
  set(binary)
  if(TROUPE_NVCC_FOUND)
    set(flags)
    foreach(architecture ${TROUPE_CUDA_ARCHITECTURES})
      if(NOT architecture MATCHES "^([0-9]+[af]?)-(real|virtual)$")
        message(FATAL_ERROR "TROUPE_CUDA_ARCHITECTURES has '${architecture}', which is neither like 90-real nor like 75-virtual")
      endif()
      set(code compute)
      if(CMAKE_MATCH_2 STREQUAL real)
        set(code sm)
      endif()
      list(APPEND flags -gencode arch=compute_${CMAKE_MATCH_1},code=${code}_${CMAKE_MATCH_1})
    endforeach()
    cmake_path(GET source STEM stem)
    set(binary ${CMAKE_CURRENT_BINARY_DIR}/${stem}.fatbin)
    # -lineinfo lets compute-sanitizer name the line.
    add_custom_command(OUTPUT ${binary}
                       COMMAND ${TROUPE_NVCC} -std=c++20 -O3 -lineinfo --expt-relaxed-constexpr -fatbin ${flags}
                               -I${PROJECT_SOURCE_DIR} -ccbin ${CMAKE_CXX_COMPILER} -allow-unsupported-compiler -o ${binary}
                               ${CMAKE_CURRENT_SOURCE_DIR}/${source}
                       DEPENDS ${source} ${ARGN} COMMENT "Compiling ${source} for GPUs" VERBATIM)
  endif()
  troupe_embed(${target} embedded_device_code.cpp FILES ${binary} FUNCTION device_code NAMESPACE ${namespace} HEADER ${header})
endfunction()
