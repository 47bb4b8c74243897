# Compares the module for Fortran with troupe.h: it must know all functions and constants of the header.
#
# cmake -DSOURCE_DIR=… -P fortran_interface_test.cmake
cmake_minimum_required(VERSION 3.25)

file(READ ${SOURCE_DIR}/include/troupe/troupe.h header)
file(READ ${SOURCE_DIR}/fortran/c_functions.f90 functions)
file(READ ${SOURCE_DIR}/fortran/objects.f90 constants)
string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "" header "${header}")

# The module starts all runtimes with troupe_start_with.
string(REGEX MATCHALL "[ *]troupe_[a-z0-9_]+\\(" declared "${header}")
list(TRANSFORM declared REPLACE "[ *(]" "")
list(REMOVE_DUPLICATES declared)
list(REMOVE_ITEM declared troupe_start)
list(LENGTH declared count)
if(count LESS 50)
  message(FATAL_ERROR "troupe.h declares only ${count} functions: is it the header?")
endif()
foreach(name ${declared})
  string(FIND "${functions}" "name='${name}'" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "troupe.h declares ${name}, which fortran/c_functions.f90 does not")
  endif()
endforeach()

string(REGEX MATCHALL "TROUPE_[A-Z0-9_]+ = [0-9]+" values "${header}")
list(LENGTH values count)
if(count LESS 40)
  message(FATAL_ERROR "troupe.h has only ${count} constants: is it the header?")
endif()
foreach(value ${values})
  string(TOLOWER "${value}" wanted)
  if(NOT constants MATCHES "[ ]${wanted}[,\n]")
    message(FATAL_ERROR "troupe.h has ${value}, which fortran/objects.f90 does not")
  endif()
endforeach()
