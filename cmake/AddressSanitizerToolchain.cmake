# The address sanitizer uses clang if it is installed, unless another compiler was asked for: it compiles in half of
# GCC's time, and warns of mistakes that GCC does not see. The thread sanitizer does not use it: the operator new of
# clang's runtime conflicts with the tests' own.
find_program(TROUPE_CLANGXX clang++-15)
find_program(TROUPE_CLANG clang-15)
if(TROUPE_CLANGXX AND TROUPE_CLANG AND NOT DEFINED CACHE{CMAKE_CXX_COMPILER})
  set(CMAKE_CXX_COMPILER ${TROUPE_CLANGXX})
  set(CMAKE_C_COMPILER ${TROUPE_CLANG})
endif()
