# Settings for compiling everything in this project: language, warnings, build types, sanitizers, and the include roots.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  # Line tables only: they suffice for a readable backtrace, at a fraction of the size. They cost a tenth of the
  # compiler's time.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g1 -DNDEBUG")
  set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
  # For sanitized code, GCC at -O1 takes twice as long as at -Og, and the code runs no faster. clang takes twice as long
  # from -O1 on, so it compiles at -O0.
  set(checked_level -Og)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    set(checked_level -O0)
  endif()
  set(CMAKE_CXX_FLAGS_SANITIZED "${checked_level} -g1 -fno-omit-frame-pointer")
  find_program(CCACHE ccache)
  if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
  # lld uses all cores, so it links if it is installed. mold is not used: Debian's (1.10) takes files out of archives
  # that nothing asks for, and then misses what those need.
  find_program(TROUPE_LLD ld.lld)
  if(TROUPE_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
  # Each step of the build logs its processor time, for scripts/build-cost.
  set(timed_step "sh \"${CMAKE_CURRENT_LIST_DIR}/timed_step.sh\" \"${PROJECT_BINARY_DIR}/build_cost.log\"")
  set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE "${timed_step} <TARGET_NAME> <OBJECT>")
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "${timed_step} <TARGET_NAME> <TARGET>")
  set_property(GLOBAL PROPERTY RULE_LAUNCH_CUSTOM "${timed_step} - <OUTPUT>")
endif()

if(TROUPE_SANITIZE)
  add_compile_options(-fsanitize=${TROUPE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TROUPE_SANITIZE})
  # This name is our own, since compilers have no common name for it.
  add_compile_definitions(TROUPE_SANITIZED)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC analyses instrumented code less well, and warns wrongly about the standard library's.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)

# The options with which every target of this project compiles.
add_library(troupe_options INTERFACE)
# gRPC asks for -pthread, and files that share compiled headers have to be compiled with the same options.
target_compile_options(troupe_options INTERFACE -pthread -Wall -Wextra $<$<BOOL:${TROUPE_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns wrongly about `"text" + std::string`: https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105329
  target_compile_options(troupe_options INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC collects garbage from 128 MB on, again and again, which takes a twelfth of the time of files that are compiled
  # together; later it takes a seventh more memory.
  target_compile_options(troupe_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # clang checks that guarded members are used under their lock: proto/mutex.hpp.
  target_compile_options(troupe_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety>)
endif()
target_link_options(troupe_options INTERFACE LINKER:--as-needed)
target_link_libraries(troupe_options INTERFACE Threads::Threads)

# Includes start at the root of the repository. `#include <troupe/...>`, as users write it, works in the build tree too.
set(TROUPE_BUILD_INCLUDE ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${TROUPE_BUILD_INCLUDE}/troupe)
foreach(folder proto graph platform actors kernels client linalg traces service)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${TROUPE_BUILD_INCLUDE}/troupe/${folder} SYMBOLIC)
endforeach()
foreach(umbrella linalg/linalg.hpp traces/traces.hpp)
  cmake_path(GET umbrella FILENAME name)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${umbrella} ${TROUPE_BUILD_INCLUDE}/troupe/${name} SYMBOLIC)
endforeach()
target_include_directories(troupe_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${TROUPE_BUILD_INCLUDE})
