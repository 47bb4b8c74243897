# Options for code that runs seldom: it compiles in two thirds of the time, and runs more slowly.
set(TROUPE_LIGHT_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-O1>)

# troupe_unity(TARGET source...): compiles the sources of each folder together (TROUPE_UNITY). So names in anonymous
# namespaces must be unique within a folder; the compiler reports those that are not.
function(troupe_unity target)
  if(NOT TROUPE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID TROUPE_UNITY_ID)
  foreach(source ${ARGN})
    troupe_unity_group(group ${source})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# troupe_unity_group(VARIABLE SOURCE): sets VARIABLE to the name of the source's folder, as an identifier.
function(troupe_unity_group variable source)
  cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE folder)
  cmake_path(GET folder PARENT_PATH folder)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  string(MAKE_C_IDENTIFIER "${folder}" group)
  set(${variable} ${group} PARENT_SCOPE)
endfunction()

# troupe_light_rooms(TARGET folder...): compiles the target's sources in these folders of the current folder with
# TROUPE_LIGHT_OPTIONS.
function(troupe_light_rooms target)
  get_target_property(sources ${target} SOURCES)
  foreach(folder ${ARGN})
    cmake_path(ABSOLUTE_PATH folder NORMALIZE)
    foreach(source ${sources})
      cmake_path(GET source PARENT_PATH room)
      if(room STREQUAL folder)
        if(TROUPE_UNITY)
          # The options are set on the file that the generator writes for the folder. A source with options of its own
          # would be left out of that file.
          troupe_unity_group(group ${source})
          set(source ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx)
        endif()
        set_property(SOURCE ${source} PROPERTY COMPILE_OPTIONS ${TROUPE_LIGHT_OPTIONS})
      endif()
    endforeach()
  endforeach()
endfunction()

# troupe_library(NAME [RECURSE | FOLDERS folder...] [HOT | LIGHT] [DIRECT] [INCLUDE regex] [EXCLUDE regex]
#                [DEPENDS library...] [PRIVATE library...])
#
# Adds a static library of the .cpp files in the current folder. They are found again at each build, so that adding a
# file needs no edit. RECURSE takes subfolders too, FOLDERS those that are named; INCLUDE and EXCLUDE filter by file
# name. HOT: code that every task passes through, which clang optimizes in sanitized builds, too. LIGHT: code that runs
# seldom, which is compiled with TROUPE_LIGHT_OPTIONS. DIRECT: no other library replaces its functions by others of the
# same name, so GCC may call them directly and inline them, as clang does anyway; without it, code that could go into a
# shared library calls every function that is not inline through a table. A folder without sources becomes an interface
# library, so it may have headers alone. Files named cuda_* are left out if CUDA was not found.
function(troupe_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE;HOT;LIGHT;DIRECT" "INCLUDE;EXCLUDE" "FOLDERS;DEPENDS;PRIVATE")
  set(glob GLOB)
  if(arg_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(folder ${arg_FOLDERS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(${glob} sources CONFIGURE_DEPENDS ${patterns})
  if(arg_INCLUDE)
    list(FILTER sources INCLUDE REGEX "${arg_INCLUDE}")
  endif()
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  troupe_filter_cuda(sources)

  if(sources)
    add_library(${name} STATIC ${sources})
    troupe_unity(${name} ${sources})
    if(arg_HOT)
      target_compile_options(${name} PRIVATE $<$<AND:$<CONFIG:Sanitized>,$<CXX_COMPILER_ID:Clang>>:-O1>)
    endif()
    if(arg_LIGHT)
      target_compile_options(${name} PRIVATE ${TROUPE_LIGHT_OPTIONS})
    endif()
    if(arg_DIRECT)
      target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
    endif()
    target_link_libraries(${name} PUBLIC troupe_options ${arg_DEPENDS} PRIVATE fmt::fmt ${arg_PRIVATE})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE troupe_options ${arg_DEPENDS})
  endif()
endfunction()

# troupe_heavy_headers(TARGET): clang reads CLI11 and nlohmann's JSON once for all such libraries, and instantiates there what
# these need of themselves: a quarter of the time of a room that includes them. GCC takes as long to read what it has compiled.
function(troupe_heavy_headers target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    return()
  endif()
  if(NOT TARGET troupe_heavy_headers)
    # The headers have a target of their own, as the others have definitions that not all of them share.
    set(source ${PROJECT_BINARY_DIR}/troupe_heavy_headers.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Written by the build: the headers belong to a target, and a target has a source.\n")
    add_library(troupe_heavy_headers OBJECT ${source})
    target_link_libraries(troupe_heavy_headers PRIVATE troupe_options fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json)
    target_precompile_headers(troupe_heavy_headers PRIVATE ${TROUPE_HEAVY_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM troupe_heavy_headers)
endfunction()
set(TROUPE_HEAVY_HEADERS <CLI/CLI.hpp> <nlohmann/json.hpp> <fmt/format.h> <fmt/ranges.h>)

# troupe_objects(VARIABLE library...): sets VARIABLE to the object files of the libraries, as far as they have any.
function(troupe_objects variable)
  set(objects)
  foreach(library ${ARGN})
    get_target_property(type ${library} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      list(APPEND objects $<TARGET_OBJECTS:${library}>)
    endif()
  endforeach()
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()
