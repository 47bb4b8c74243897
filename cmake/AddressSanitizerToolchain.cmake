# The address sanitizer takes clang where it is installed, unless another compiler was asked for: it compiles in half of
# GCC's time, and sees what GCC does not warn of. Not the thread sanitizer: the operator new of clang's runtime stands in
# the way of the tests' own.
find_program(TROUPE_CLANGXX clang++-15)
find_program(TROUPE_CLANG clang-15)
if(TROUPE_CLANGXX AND TROUPE_CLANG AND NOT DEFINED CACHE{CMAKE_CXX_COMPILER})
  set(CMAKE_CXX_COMPILER ${TROUPE_CLANGXX})
  set(CMAKE_C_COMPILER ${TROUPE_CLANG})
endif()
