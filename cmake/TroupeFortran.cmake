# Finds a Fortran compiler for the module in fortran/. Sets TROUPE_FORTRAN_FOUND.
option(TROUPE_FORTRAN "Build the module for Fortran (needs a Fortran compiler)" ${PROJECT_IS_TOP_LEVEL})
set(TROUPE_FORTRAN_FOUND FALSE)
if(NOT TROUPE_FORTRAN OR TROUPE_CORES_ONLY)
  return()
endif()
if(TROUPE_SANITIZE)
  # gfortran would instrument for GCC's runtime library, and a process can have only one: that of the C++ compiler,
  # which may be clang. What is below the module is tested in C.
  message(STATUS "Fortran module: left out of builds with sanitizers")
  return()
endif()
include(CheckLanguage)
check_language(Fortran)
if(NOT CMAKE_Fortran_COMPILER)
  message(STATUS "Fortran module: left out, missing is a Fortran compiler (gfortran)")
  return()
endif()
enable_language(Fortran)
set(TROUPE_FORTRAN_FOUND TRUE)

# The options with which Fortran is compiled here. They are not those of C++ (TroupeBuild.cmake).
add_library(troupe_fortran_options INTERFACE)
if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU)
  target_compile_options(troupe_fortran_options INTERFACE -std=f2018 -Wall -Wextra -Wpedantic -Wimplicit-procedure
                                                          $<$<BOOL:${TROUPE_WERROR}>:-Werror>)
endif()
