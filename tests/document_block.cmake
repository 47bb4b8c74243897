# Functions for tests that build and run the programs of the manual as a user would do.

# document_block(VARIABLE DOCUMENT MARKER FENCE): sets the variable to the first fenced block after a marker comment.
function(document_block variable document marker fence)
  file(READ ${SOURCE_DIR}/${document} text)
  string(FIND "${text}" "<!-- ${marker} -->" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${document} has no <!-- ${marker} -->")
  endif()
  string(SUBSTRING "${text}" ${at} -1 text)
  string(FIND "${text}" "${fence}\n" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${document} has no ${fence} block after <!-- ${marker} -->")
  endif()
  string(LENGTH "${fence}\n" skip)
  math(EXPR at "${at} + ${skip}")
  string(SUBSTRING "${text}" ${at} -1 text)
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# check_document_program(DOCUMENT NAME PROGRAM): runs PROGRAM with the libraries in `prefix`. Checks that its output is
# the output that the document shows under this name.
function(check_document_program document name program)
  document_block(expected ${document} "output: ${name}" "```")
  set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
  execute_process(COMMAND ${program} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(NOT result EQUAL 0 OR NOT output STREQUAL expected)
    message(FATAL_ERROR "the program (${result}) printed\n${output}${errors}\nand the document says\n${expected}")
  endif()
endfunction()

# compile_document_program(command...): builds the program. If the command fails, the test fails.
function(compile_document_program)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "building failed (${result}):\n${output}")
  endif()
endfunction()

# begin_document_program(NAME): sets `prefix` to the folder that the install test has made, and `work` to an empty
# folder.
function(begin_document_program name)
  set(prefix ${BUILD_DIR}/install_test/moved PARENT_SCOPE)
  set(work ${BUILD_DIR}/${name}_test PARENT_SCOPE)
  file(REMOVE_RECURSE ${BUILD_DIR}/${name}_test)
  file(MAKE_DIRECTORY ${BUILD_DIR}/${name}_test)
  if(NOT EXISTS ${BUILD_DIR}/install_test/moved)
    message(FATAL_ERROR "${BUILD_DIR}/install_test/moved is not there: the install test makes it")
  endif()
endfunction()
