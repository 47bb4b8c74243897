# Installs the Python package with pip into an environment of its own, from the files of the build folder, and uses it
# there.
#
# cmake -DPYTHON=… -DSOURCE_DIR=… -DBUILD_DIR=… -DVERSION=… -P python_wheel_test.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PYTHON} -c "import pip, venv, numpy" RESULT_VARIABLE missing ERROR_VARIABLE why OUTPUT_QUIET)
if(missing)
  string(REGEX MATCH "No module named '[^']*'" why "${why}")
  message("skipped: ${PYTHON} has not what the test needs: ${why} (Debian: python3-pip, python3-venv, python3-numpy)")
  return()
endif()
set(work ${BUILD_DIR}/python_wheel_test)
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

unset(ENV{PYTHONPATH})
# Pip must not search the network for packages, and must not read the user's configuration.
set(ENV{PIP_CONFIG_FILE} /dev/null)
set(ENV{PIP_DISABLE_PIP_VERSION_CHECK} 1)
set(ENV{PIP_NO_CACHE_DIR} 1)
run("making an environment" ${PYTHON} -m venv --system-site-packages --without-pip ${work}/environment)
set(python ${work}/environment/bin/python)
run("installing" ${PYTHON} -m pip --python ${python} install --quiet --no-build-isolation --no-index --no-deps
    --config-settings build-dir=${BUILD_DIR} ${SOURCE_DIR})
run("pip show" ${PYTHON} -m pip --python ${python} show --files troupe)
foreach(expected "Version: ${VERSION}" "Requires: numpy" "troupe/py.typed" "troupe/lib/libtroupe.so")
  string(FIND "${output}" "${expected}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "pip does not know of '${expected}':\n${output}")
  endif()
endforeach()
file(WRITE ${work}/program.py [=[
import numpy as np
import troupe, troupe.linalg

a = np.array([[4.0, 2.0], [2.0, 5.0]])
assert np.array_equal(troupe.linalg.cholesky(a), [[2, 0], [1, 2]])
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "/libtroupe" in line}
package = troupe.__file__.rsplit("/", 1)[0]
assert libraries and all(path.startswith(package + "/lib/") for path in libraries), libraries
print(troupe.__version__)
]=])
run("the installed package" ${python} program.py)
if(NOT output MATCHES "^${VERSION}")
  message(FATAL_ERROR "the package is of version ${output}, not ${VERSION}")
endif()
