# Clang must compile tests/compiler_messages.cpp with RIGHT defined. Without RIGHT, clang's messages must contain the
# text of the comment after each mistake.
cmake_policy(VERSION 3.25)
if(NOT CLANG)
  message("skipped: clang, whose messages are looked at, is not installed")
  return()
endif()

set(mistakes_file ${SOURCE_DIR}/tests/compiler_messages.cpp)

function(compile file)
  execute_process(COMMAND ${CLANG} -fsyntax-only -ferror-limit=0 -I${SOURCE_DIR} -I${SOURCE_DIR}/include -I${BUILD_INCLUDE} ${ARGN}
                          ${file}
                  RESULT_VARIABLE status ERROR_VARIABLE errors)
  set(status ${status} PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

compile(${mistakes_file} -std=c++20 -DRIGHT)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "what is right is refused:\n${errors}")
endif()

compile(${mistakes_file} -std=c++20)
file(STRINGS ${mistakes_file} mistakes REGEX ";  +// ")
list(LENGTH mistakes count)
if(count LESS 7)
  message(FATAL_ERROR "only ${count} mistakes were found")
endif()
foreach(mistake ${mistakes})
  string(REGEX REPLACE ".*;  +// " "" sentence "${mistake}")
  string(FIND "${errors}" "${sentence}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "the compiler does not say '${sentence}':\n${errors}")
  endif()
endforeach()

# Each header with which a program may begin refuses an older language. No error is in the standard library.
foreach(header tests/compiler_messages.cpp include/troupe/plugin.hpp linalg/linalg.hpp)
  compile(${SOURCE_DIR}/${header} -std=c++17 -x c++)
  string(REGEX MATCH "error: [^\n]*" first "${errors}")
  if(NOT first MATCHES "Troupe needs C\\+\\+20: compile with -std=c\\+\\+20" OR errors MATCHES "/include/c\\+\\+/[^\n]*error:")
    message(FATAL_ERROR "${header}: C++17 is not refused with one sentence:\n${errors}")
  endif()
endforeach()
