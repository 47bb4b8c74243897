# Sanitized builds take clang where it is installed: it compiles them in half of GCC's time, and sees what GCC does not
# warn of.
find_program(TROUPE_CLANGXX clang++-15)
find_program(TROUPE_CLANG clang-15)
if(TROUPE_CLANGXX AND TROUPE_CLANG)
  set(CMAKE_CXX_COMPILER ${TROUPE_CLANGXX})
  set(CMAKE_C_COMPILER ${TROUPE_CLANG})
endif()
