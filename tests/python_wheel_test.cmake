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

# expect(WHAT TEXT): fails unless `output` contains the text.
function(expect what text)
  string(FIND "${output}" "${text}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "${what} does not contain '${text}':\n${output}")
  endif()
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
  expect("what pip knows" "${expected}")
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

# Without numpy the package can be imported, and runs functions.
file(WRITE ${work}/without_numpy.py [=[
import sys
sys.modules["numpy"] = None
import troupe

with troupe.Runtime(cores=2, oversubscribe=True) as rt:
    print(rt.call(sum, [1, 2]).result())
try:
    troupe.linalg.cholesky
except ImportError as error:
    print(error)
]=])
run("the package without numpy" ${python} without_numpy.py)
if(NOT output MATCHES "^3\n.*numpy")
  message(FATAL_ERROR "without numpy, the package printed:\n${output}")
endif()

# A module that does not fit is refused with one message: one of another version, of another Python, or none.
file(WRITE ${work}/refused.py [=[
import glob, os, sys
package = glob.glob(os.path.join(sys.prefix, "lib", "python*", "site-packages", "troupe"))[0]
version = os.path.join(package, "_version.py")
module = glob.glob(os.path.join(package, "_troupe.*"))[0]
text = open(version).read()

def refused():
    for name in [name for name in sys.modules if name.split(".")[0] == "troupe"]:
        del sys.modules[name]
    try:
        import troupe
    except ImportError as error:
        print(error)
    else:
        print("troupe was imported")

os.rename(module, module + ".away")
refused()
os.rename(module + ".away", os.path.join(package, "_troupe.cpython-399-x86_64-linux-gnu.so"))
refused()
os.remove(os.path.join(package, "_troupe.cpython-399-x86_64-linux-gnu.so"))
open(module, "w").close()
refused()
]=])
run("another version" ${python} -c "
import sys, types
module = types.ModuleType('troupe._troupe')
module.__version__, module.__file__ = '99.0.0', 'the module'
sys.modules['troupe._troupe'] = module
try:
    import troupe
except ImportError as error:
    print(error)
")
expect("the message about another version" "are of Troupe ${VERSION}, but the module the module is of 99.0.0")
run("modules that do not fit" ${python} refused.py)
foreach(expected "has no module _troupe" "was built for another Python: it has _troupe.cpython-399" "cannot be loaded: ")
  expect("the messages" "${expected}")
endforeach()
