# Checks that the shared libraries only export Troupe's names: in C++ those in namespace troupe, and in C exactly the
# functions that troupe.h declares.
#
# cmake "-DFILES=library;…" -DC_LIBRARY=… -DC_HEADER=… -P exported_symbols_test.cmake. C_LIBRARY may be empty.
cmake_minimum_required(VERSION 3.25)
find_program(nm nm)
if(NOT nm)
  message("skipped: nm is not installed")
  return()
endif()

# exported(VARIABLE FILE): sets the variable to the names that a library exports.
function(exported variable file)
  execute_process(COMMAND ${nm} -D --defined-only ${file} OUTPUT_VARIABLE lines RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "nm failed on ${file}")
  endif()
  string(REGEX REPLACE "[0-9a-f]* [A-Za-z] ([^\n@]+)[^\n]*\n" "\\1;" names "${lines}")
  list(REMOVE_ITEM names "")
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

foreach(file ${FILES})
  exported(names ${file})
  list(LENGTH names count)
  if(count LESS 10)
    message(FATAL_ERROR "${file} exports only ${count} names: is it the library?")
  endif()
  # These mangled names are in namespace troupe: functions, their local variables, guards of these, and data of types.
  list(FILTER names EXCLUDE REGEX "^_Z(GV)?Z?N[KRO]*6troupe|^_ZT[A-Zhv0-9n_c]*Z?N?[KRO]*6troupe|^_ZT[hvc].*6troupe|^_ZTC.*6troupe")
  if(names)
    list(SUBLIST names 0 10 some)
    list(JOIN some "\n  " some)
    message(FATAL_ERROR "${file} exports names that are not Troupe's:\n  ${some}")
  endif()
endforeach()

if(C_LIBRARY)
  exported(names ${C_LIBRARY})
  file(READ ${C_HEADER} header)
  string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/|//[^\n]*" "" header "${header}")
  # In the declaration of a function, its name stands before an opening parenthesis. The name of a function type stands
  # before a closing parenthesis, so the search does not find it.
  string(REGEX MATCHALL "[ *]troupe_[a-z0-9_]+\\(" declared "${header}")
  list(TRANSFORM declared REPLACE "[ *(]" "")
  list(REMOVE_DUPLICATES declared)
  foreach(name ${names})
    if(NOT name IN_LIST declared)
      message(FATAL_ERROR "${C_LIBRARY} exports ${name}, which ${C_HEADER} does not declare")
    endif()
  endforeach()
  foreach(name ${declared})
    if(NOT name IN_LIST names)
      message(FATAL_ERROR "${C_HEADER} declares ${name}, which ${C_LIBRARY} does not export")
    endif()
  endforeach()
endif()
