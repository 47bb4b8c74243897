# Runs tests/fortran/stops.f90, which makes mistakes without asking for the errors. Each must stop the program with the
# error's text.
#
# cmake -DPROGRAM=… -P fortran_stops_test.cmake
cmake_minimum_required(VERSION 3.25)

# stops(MISTAKE TEXT): runs the program with the mistake, and checks that it stops with the text.
function(stops mistake text)
  execute_process(COMMAND ${PROGRAM} ${mistake} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result
                  TIMEOUT 60)
  string(FIND "${output}" "${text}" found)
  if(result EQUAL 0 OR found EQUAL -1 OR output MATCHES "went on")
    message(FATAL_ERROR "the mistake '${mistake}' came to ${result}, and not to '${text}':\n${output}")
  endif()
endfunction()
stops(absent "ERROR STOP troupe_wait: runtime is NULL")
stops(released "was used after its data or their runtime were freed")
stops(released "ERROR STOP troupe_submit: ")
stops(kernel "ERROR STOP troupe_vector: data 1 of the task are of real(real64), and the kernel asks for integer(int32)")
