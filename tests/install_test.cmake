# Installs the build into a temporary folder, moves the folder, and uses it as a user would do. Builds the programs of
# README.md, docs/programming.md, docs/simulation.md and docs/linalg.md with find_package, and most of them with
# pkg-config, too. Runs them and compares their output with the document.
#
# A program NAME is the ```cpp block after `<!-- example: NAME -->`. Its expected output is the next ``` block after
# `<!-- output: NAME -->`, in which `...` stands for any text within a line.
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DCXX=… [-DFORTRAN=…] -DGENERATOR=… -DLIBDIR=… -P install_test.cmake
cmake_minimum_required(VERSION 3.25)

set(work ${BUILD_DIR}/install_test)
set(prefix ${work}/moved)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

# run(WHAT command...): runs the command and sets `output`. If the command fails, the test fails.
function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work} OUTPUT_VARIABLE output ERROR_VARIABLE output
                  RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message("${output}")
    message(FATAL_ERROR "${what} failed (${result})")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("installing" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/installed)
file(RENAME ${work}/installed ${prefix})
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
unset(ENV{DESTDIR})

# No header may depend on the source tree, on the place where it was installed, or on libraries that users need not
# have.
file(GLOB_RECURSE headers ${prefix}/include/*)
list(LENGTH headers count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} headers were installed")
endif()
foreach(header ${headers})
  file(STRINGS ${header} bad REGEX "#[ \t]*include[ \t]*(\"|<(caf/|hwloc|cblas|lapack|cuda|fmt/|nlohmann/))")
  if(bad OR NOT header MATCHES "/include/troupe/(.*\\.hpp|troupe\\.h)$")
    message(FATAL_ERROR "installed header ${header}: ${bad}")
  endif()
endforeach()
file(GLOB_RECURSE texts ${prefix}/${LIBDIR}/*.cmake ${prefix}/${LIBDIR}/*.pc ${prefix}/include/*)
foreach(text ${texts})
  file(READ ${text} content)
  string(FIND "${content}" "${SOURCE_DIR}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${text} names the source tree")
  endif()
endforeach()

run("the installed program" ${prefix}/bin/troupe --help)
run("the installed experiments" ${prefix}/bin/troupe experiment --help)
if(EXISTS ${BUILD_DIR}/apps/troupe-serve)
  run("the installed service" ${prefix}/bin/troupe serve --print-config)
endif()
foreach(file share/man/man1/troupe.1 share/man/man1/troupe-run.1 share/bash-completion/completions/troupe
             share/zsh/site-functions/_troupe share/troupe/output.schema.json)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
file(GLOB_RECURSE build_files ${prefix}/share/doc/*/Doxyfile ${prefix}/share/doc/*/CMakeLists.txt ${prefix}/share/doc/*.awk)
if(build_files)
  message(FATAL_ERROR "the manual was installed with files that only builds read: ${build_files}")
endif()
if(EXISTS ${BUILD_DIR}/bench/troupe-bench)
  run("the installed benchmarks" ${prefix}/bin/troupe bench memory --tiny --runtimes troupe)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/document_block.cmake)

if(NOT EXISTS ${SOURCE_DIR}/README.md)
  message("skipped: there is no README.md to take the first program from")
  return()
endif()
# document_program(NAME DOCUMENT): sets program_NAME to the program and expected_NAME to its expected output.
function(document_program name document)
  document_block(program ${document} "example: ${name}" "```cpp")
  document_block(expected ${document} "output: ${name}" "```")
  set(program_${name} "${program}" PARENT_SCOPE)
  set(expected_${name} "${expected}" PARENT_SCOPE)
endfunction()
document_program(first-program README.md)
document_program(recorded-graph docs/programming.md)
document_program(linalg docs/linalg.md)
document_program(own-graph docs/simulation.md)
document_block(program_c-program docs/c-interface.md "example: c-program" "```c")
document_block(expected_c-program docs/c-interface.md "output: c-program" "```")
find_program(gnuplot gnuplot)
if(NOT gnuplot)
  message("skipped: gnuplot is not installed, which draws the picture of docs/linalg.md")
  return()
endif()

# check_output(NAME HOW): checks the output of the last `run` against expected_NAME.
function(check_output name how)
  string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" pattern "${expected_${name}}")
  string(REPLACE "\\.\\.\\." "[^\n]*" pattern "${pattern}")
  if(NOT output MATCHES "^${pattern}$")
    message(FATAL_ERROR "${name}, built with ${how}, printed\n${output}\nand the document says\n${expected_${name}}")
  endif()
endfunction()

# check_linalg(HOW): checks the output of the program of docs/linalg.md in the last `run`, and the files that it has
# written.
function(check_linalg how)
  check_output(linalg "${how}")
  foreach(file x.mtx run.json run.txt run.svg run.png)
    if(NOT EXISTS ${work}/${file})
      message(FATAL_ERROR "the program of docs/linalg.md, built with ${how}, left no ${file}")
    endif()
  endforeach()
  file(READ ${work}/run.txt report)
  if(NOT report MATCHES "potrf" OR NOT report MATCHES "critical path")
    message(FATAL_ERROR "the program of docs/linalg.md reported\n${report}")
  endif()
  file(REMOVE ${work}/x.mtx ${work}/run.json ${work}/run.txt ${work}/run.svg ${work}/run.png)
endfunction()

# The user's project has folders and headers with the names of Troupe's. The compiler must not confuse them.
set(user ${work}/user)
file(WRITE ${user}/first.cpp "${program_first-program}")
file(WRITE ${user}/remote.cpp [[
#include <cstdlib>
#include <iostream>
#include <troupe/troupe.hpp>
// Without a service, which this machine need not have, it says so.
int main() {
  try {
    troupe::Runtime runtime = troupe::Runtime::connect({"/nonexistent", "stranger"});
    return EXIT_FAILURE;
  } catch (const troupe::Error& error) {
    std::cout << error.what() << "\n";
    return error.code() == troupe::ErrorCode::io ? EXIT_SUCCESS : EXIT_FAILURE;
  }
}
]])
file(WRITE ${user}/plain.c "${program_c-program}")
file(WRITE ${user}/recorded.cpp "${program_recorded-graph}")
file(WRITE ${user}/factorizing.cpp "${program_linalg}")
file(WRITE ${user}/own_graph.cpp "${program_own-graph}")
foreach(header ${headers})
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${prefix}/include/troupe OUTPUT_VARIABLE name)
  file(WRITE ${user}/${name} "#error this is a header of the user's\n")
endforeach()
file(WRITE ${user}/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(First LANGUAGES C CXX)
find_package(Troupe 0.1 REQUIRED)
include_directories(${CMAKE_CURRENT_SOURCE_DIR})
add_executable(first first.cpp)
target_link_libraries(first PRIVATE Troupe::troupe)
add_executable(recorded recorded.cpp)
target_link_libraries(recorded PRIVATE Troupe::troupe)
add_executable(first_with_kernels first.cpp)
target_link_libraries(first_with_kernels PRIVATE Troupe::kernels)
add_executable(factorizing factorizing.cpp)
target_link_libraries(factorizing PRIVATE Troupe::linalg Troupe::traces)
add_executable(own_graph own_graph.cpp)
target_link_libraries(own_graph PRIVATE Troupe::troupe Troupe::traces)
if(TARGET Troupe::remote)
  add_executable(remote remote.cpp)
  target_link_libraries(remote PRIVATE Troupe::remote)
endif()
add_executable(plain plain.c)
target_link_libraries(plain PRIVATE Troupe::c)
]])

# The documents say that the path of the libraries must be written into the program.
run("pkg-config" pkg-config --variable=libdir troupe)
string(STRIP "-Wl,-rpath,${output}" rpath)

run("configuring with find_package" ${CMAKE_COMMAND} -S ${user} -B ${work}/find_package -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_FLAGS=-Werror)
run("building with find_package" ${CMAKE_COMMAND} --build ${work}/find_package)
foreach(name first first_with_kernels)
  run("the first program, built with find_package," ${work}/find_package/${name})
  check_output(first-program "find_package")
endforeach()
if(EXISTS ${work}/find_package/remote)
  run("the program that connects" ${work}/find_package/remote)
endif()
run("the program in C" ${work}/find_package/plain)
check_output(c-program "find_package")
run("pkg-config" pkg-config --cflags --libs troupe_c)
string(STRIP "${output}" flags)
separate_arguments(flags UNIX_COMMAND "${flags} ${rpath}")
run("building C with pkg-config" cc -std=c99 -pedantic -Werror ${user}/plain.c -o ${work}/plain_pkg_config ${flags})
run("the program in C, built with pkg-config," ${work}/plain_pkg_config)
check_output(c-program "pkg-config")
if(FORTRAN AND EXISTS ${prefix}/${LIBDIR}/libtroupe_fortran.so)
  # The first program of docs/fortran.md, with the installed module and with the installed source.
  document_block(expected_scale_and_sum docs/fortran.md "output: scale_and_sum" "```")
  set(example ${SOURCE_DIR}/docs/examples/fortran/scale_and_sum.f90)
  run("pkg-config" pkg-config --cflags --libs troupe_fortran)
  string(STRIP "${output}" flags)
  separate_arguments(flags UNIX_COMMAND "${flags} ${rpath}")
  run("building Fortran with pkg-config" ${FORTRAN} ${example} -o ${work}/fortran_pkg_config ${flags})
  run("the program in Fortran, built with pkg-config," ${work}/fortran_pkg_config)
  check_output(scale_and_sum "pkg-config")
  run("pkg-config" pkg-config --libs troupe_c)
  string(STRIP "${output}" flags)
  separate_arguments(flags UNIX_COMMAND "${flags} ${rpath}")
  run("building the installed Fortran source" ${FORTRAN} -frecursive ${prefix}/share/troupe/fortran/troupe.f90
      ${example} -o ${work}/fortran_from_source ${flags})
  run("the program in Fortran, built from source," ${work}/fortran_from_source)
  check_output(scale_and_sum "the installed source")
  file(WRITE ${work}/fortran_user/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(InFortran LANGUAGES C CXX Fortran)
find_package(Troupe 0.1 REQUIRED)
add_executable(scale_and_sum ${example})
target_link_libraries(scale_and_sum PRIVATE Troupe::fortran)\n")
  run("configuring Fortran with find_package" ${CMAKE_COMMAND} -S ${work}/fortran_user -B ${work}/fortran -G ${GENERATOR}
      -DCMAKE_Fortran_COMPILER=${FORTRAN} -DCMAKE_PREFIX_PATH=${prefix})
  run("building Fortran with find_package" ${CMAKE_COMMAND} --build ${work}/fortran)
  run("the program in Fortran, built with find_package," ${work}/fortran/scale_and_sum)
  check_output(scale_and_sum "find_package")
endif()
find_program(python NAMES python3)
if(python)
  # The kernel of the example halves the value 7, which earlier tasks have computed. If a kernel raises an exception,
  # its task fails.
  set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
  set(ENV{PYTHONPATH} ${SOURCE_DIR}/docs/examples)
  set(ENV{PYTHONDONTWRITEBYTECODE} 1)
  run("the program in Python" ${python} ${SOURCE_DIR}/docs/examples/troupe_ctypes.py)
  if(NOT output STREQUAL "3.5 3.5\n")
    message(FATAL_ERROR "the program in Python printed ${output}")
  endif()
  file(WRITE ${work}/raises.py [[
import ctypes
import troupe_ctypes
runtime, codelet = ctypes.c_void_p(), None
troupe_ctypes.check(troupe_ctypes.troupe.troupe_start(1, None, ctypes.byref(runtime)))
@troupe_ctypes.kernel
def raises(context):
    raise ValueError("on purpose")
codelet = troupe_ctypes.define("raises", [], raises)
troupe_ctypes.submit(runtime, codelet, [])
try:
    troupe_ctypes.check(troupe_ctypes.troupe.troupe_wait(runtime))
    print("success")
except RuntimeError as error:
    print(error)
troupe_ctypes.troupe.troupe_codelet_free(codelet)
troupe_ctypes.troupe.troupe_runtime_free(runtime)
]])
  run("a kernel in Python that raises" ${python} ${work}/raises.py)
  if(NOT output MATCHES "ValueError\\('on purpose'\\)")
    message(FATAL_ERROR "a kernel in Python that raises came to: ${output}")
  endif()
  unset(ENV{LD_LIBRARY_PATH})
endif()
# These variables also work for a program that is not linked with the library for traces: the runtime loads the library.
set(ENV{TROUPE_CORES} 1)
set(ENV{TROUPE_REPORT} 1)
set(ENV{TROUPE_TRACE} ${work}/first.json)
run("the first program with a trace" ${work}/find_package/first)
foreach(variable CORES REPORT TRACE)
  unset(ENV{TROUPE_${variable}})
endforeach()
if(NOT EXISTS ${work}/first.json OR NOT output MATCHES "critical path" OR output MATCHES "cpu core 1")
  message(FATAL_ERROR "the environment came to: ${output}")
endif()
run("the program with a recorded graph" ${work}/find_package/recorded)
check_output(recorded-graph "find_package")
run("the program with a graph in virtual time" ${work}/find_package/own_graph)
# After the program's output comes the report.
if(NOT output MATCHES "critical path" OR NOT EXISTS ${work}/own.json)
  message(FATAL_ERROR "own-graph left no trace or report:\n${output}")
endif()
string(LENGTH "${expected_own-graph}" length)
string(SUBSTRING "${output}" 0 ${length} output)
check_output(own-graph "find_package")
run("the program that factorizes" ${work}/find_package/factorizing)
check_linalg("find_package")

foreach(package troupe troupe_kernels)
  run("pkg-config" pkg-config --cflags --libs ${package})
  string(STRIP "${output}" flags)
  separate_arguments(flags UNIX_COMMAND "${flags} ${rpath}")
  run("building with pkg-config" ${CXX} -std=c++20 -Werror -I${user} ${user}/first.cpp -o ${work}/first_${package} ${flags})
  run("the first program, built with pkg-config," ${work}/first_${package})
  check_output(first-program "pkg-config ${package}")
endforeach()
run("pkg-config" pkg-config --cflags --libs troupe_linalg troupe_traces)
string(STRIP "${output}" flags)
separate_arguments(flags UNIX_COMMAND "${flags} ${rpath}")
run("building with pkg-config" ${CXX} -std=c++20 -Werror -I${user} ${user}/factorizing.cpp -o ${work}/factorizing ${flags})
run("the program that factorizes, built with pkg-config," ${work}/factorizing)
check_linalg("pkg-config")
message("the programs of the documents were built and run with find_package and pkg-config")
