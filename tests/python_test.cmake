# Runs pytest on tests/python with the package in the build tree.
execute_process(COMMAND ${PYTHON} -c "import pytest, numpy" RESULT_VARIABLE missing ERROR_VARIABLE why)
if(missing)
  string(REGEX MATCH "No module named '[^']*'" why "${why}")
  message("skipped: ${PYTHON} has not what the tests need: ${why} (Debian: python3-pytest, python3-numpy)")
  return()
endif()
set(ENV{PYTHONPATH} ${PACKAGES})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
# Sanitizers must be loaded before everything else. They cannot see objects that Python's own allocator allocates.
if(PRELOAD)
  set(ENV{LD_PRELOAD} ${PRELOAD})
  set(ENV{PYTHONMALLOC} malloc)
  # The sanitizer starts a program, the symbolizer, that names the functions in its reports. The sanitizer must not be
  # loaded into the symbolizer.
  set(naming symbolize=0)
  find_program(symbolizer NAMES llvm-symbolizer llvm-symbolizer-15)
  if(symbolizer)
    set(wrapped ${PACKAGES}/llvm-symbolizer)
    file(WRITE ${wrapped} "#!/bin/sh\nexec env -u LD_PRELOAD ${symbolizer} \"$@\"\n")
    file(CHMOD ${wrapped} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    set(naming external_symbolizer_path=${wrapped})
  endif()
  # Without the first option, the search for leaks crashes in some processes. This depends on the addresses of the
  # thread-local memory of loaded libraries.
  set(ENV{ASAN_OPTIONS} "$ENV{ASAN_OPTIONS}:intercept_tls_get_addr=0:malloc_context_size=2:${naming}")
  set(ENV{LSAN_OPTIONS} "suppressions=${TESTS}/leaks.supp:print_suppressions=0")
endif()
execute_process(COMMAND ${PYTHON} -m pytest -q -p no:cacheprovider ${TESTS} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "pytest failed (${failed})")
endif()
