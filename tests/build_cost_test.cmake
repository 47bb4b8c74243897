# Tests scripts/build-cost with lines as cmake/timed_step.sh writes them for each step of a build.
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -P build_cost_test.cmake
cmake_minimum_required(VERSION 3.25)

set(work ${BUILD_DIR}/build_cost_test)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
set(log ${work}/build_cost.log)

# The first step works for a while, the second one fails. The failing step must return the exit status of its command
# and write no line.
set(object graph/CMakeFiles/troupe_graph.dir/Unity/unity_graph_tasks_cxx.cxx.o)
execute_process(COMMAND sh ${SOURCE_DIR}/cmake/timed_step.sh ${log} troupe_graph ${object} sh -c "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND sh ${SOURCE_DIR}/cmake/timed_step.sh ${log} troupe_graph other.o sh -c "exit 3" RESULT_VARIABLE result)
file(STRINGS ${log} lines)
if(NOT result EQUAL 3 OR NOT lines MATCHES "^[0-9]+m[0-9.]+s [0-9]+m[0-9.]+s troupe_graph sh ${object}$" OR lines MATCHES "^0m0[.]0+s 0m0[.]0+s ")
  message(FATAL_ERROR "the steps returned ${result}, and left '${lines}'")
endif()

# If a step has several lines, only the last line counts. A file that joins all sources of a folder is reported under
# the folder's name. The report adds up the seconds for each folder or subfolder.
file(WRITE ${log} "0m9.00s 0m9.00s troupe_graph c++ ${object}
0m1.50s 0m0.50s troupe_graph ccache ${object}
1m2.00s 0m1.00s troupe c++ apps/CMakeFiles/troupe.dir/main.cpp.o
0m1.00s 0m0.00s troupe_graph ccache graph/CMakeFiles/troupe_graph.dir/Unity/unity_graph_codelets_to_graph_data_cxx.cxx.o
0m0.10s 0m0.00s troupe_graph cmake graph/libtroupe_graph.a
0m0.20s 0m0.00s troupe_graph ar graph/libtroupe_graph.a
")
execute_process(COMMAND ${SOURCE_DIR}/scripts/build-cost ${work} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " +" " " output "${output}")
set(expected " 63.0 apps 1\n 2.0 graph/tasks 1\n 1.0 graph/codelets to graph/data 1\n 0.3 (linking) 2\n 66.3 in all: 1 min 6 s of processor time in 5 steps\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "printed was:\n${output}expected was:\n${expected}")
endif()
execute_process(COMMAND ${SOURCE_DIR}/scripts/build-cost --steps 1 ${work} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "    63.0  apps/CMakeFiles/troupe.dir/main.cpp.o\n")
  message(FATAL_ERROR "the dearest step is:\n${output}")
endif()

# refuses(TEXT argument...): checks that build-cost refuses the arguments with this text.
function(refuses text)
  execute_process(COMMAND ${SOURCE_DIR}/scripts/build-cost ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE error RESULT_VARIABLE result)
  string(FIND "${error}" "${text}" found)
  if(NOT result EQUAL 2 OR found EQUAL -1)
    message(FATAL_ERROR "build-cost ${ARGN} returned ${result} and said:\n${error}")
  endif()
endfunction()
refuses("--steps takes a number" --steps many)
refuses("there is no option '--what'" --what)
refuses("build first" ${work}/absent)
