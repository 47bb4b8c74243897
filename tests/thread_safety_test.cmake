# Clang must compile tests/thread_safety.cpp as it is. With each of the definitions, which add an access without a lock,
# clang must refuse the file.
cmake_policy(VERSION 3.25)
if(NOT CLANG)
  message("skipped: clang, which knows what locks guard, is not installed")
  return()
endif()

function(compile definition)
  execute_process(COMMAND ${CLANG} -std=c++20 -fsyntax-only -Wthread-safety -Werror -I${SOURCE_DIR} ${definition}
                          ${SOURCE_DIR}/tests/thread_safety.cpp
                  RESULT_VARIABLE status ERROR_VARIABLE errors)
  set(status ${status} PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

compile("")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "what takes its locks is refused:\n${errors}")
endif()
foreach(mistake READS WRITES_AFTER_UNLOCK CALLS LOOKS_IN_LAMBDA SPINS)
  compile(-D${mistake})
  if(status EQUAL 0 OR NOT errors MATCHES "-Wthread-safety")
    message(FATAL_ERROR "thread_safety.cpp with ${mistake} is not refused for its lock:\n${errors}")
  endif()
endforeach()
