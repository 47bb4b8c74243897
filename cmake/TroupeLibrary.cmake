# Options for code that runs seldom: it compiles in two thirds of the time, and runs more slowly.
set(TROUPE_LIGHT_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-O1>)

# The most bytes of sources that are compiled as one file, unless a single folder has more. Small folders spend most of
# their time on headers and templates that their neighbours need, too.
set(TROUPE_UNITY_BYTES 200000)

# troupe_unity(TARGET source... [LIGHT_ROOMS folder...]): compiles the sources of each folder together, and small folders of
# the target with their neighbours in the alphabet (TROUPE_UNITY). So names in anonymous namespaces must be unique within
# these; the compiler reports those that are not. Sources in LIGHT_ROOMS, folders of the current one, are compiled with
# TROUPE_LIGHT_OPTIONS, apart from the others.
function(troupe_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIGHT_ROOMS")
  foreach(folder ${arg_LIGHT_ROOMS})
    cmake_path(ABSOLUTE_PATH folder NORMALIZE)
    list(APPEND light_folders ${folder})
  endforeach()
  foreach(source ${arg_UNPARSED_ARGUMENTS})
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    if(folder IN_LIST light_folders)
      list(APPEND light ${source})
    else()
      list(APPEND others ${source})
    endif()
  endforeach()
  if(TROUPE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID TROUPE_UNITY_ID)
    troupe_unity_groups(names ${others})
    troupe_unity_groups(names ${light})
    # The options are set on the files that the generator writes. A source with options of its own would be left out of
    # these.
    list(TRANSFORM names REPLACE ".+" ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_\\0_cxx.cxx
         OUTPUT_VARIABLE light)
  endif()
  set_property(SOURCE ${light} PROPERTY COMPILE_OPTIONS ${TROUPE_LIGHT_OPTIONS})
endfunction()

# troupe_unity_groups(VARIABLE source...): sets VARIABLE to the names of the groups that the sources make. A group is named
# after its first folder and its last one.
function(troupe_unity_groups variable)
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH folder)
    file(SIZE ${source} size)
    list(APPEND folders ${folder})
    list(APPEND sources_of_${folder} ${source})
    math(EXPR size_of_${folder} "${size} + 0${size_of_${folder}}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  list(SORT folders)
  set(names)
  set(group)
  set(bytes 0)
  foreach(folder ${folders} END)
    math(EXPR together "${bytes} + 0${size_of_${folder}}")
    if(group AND (folder STREQUAL END OR together GREATER TROUPE_UNITY_BYTES))
      list(GET group 0 first)
      list(GET group -1 last)
      troupe_folder_id(name ${first})
      if(NOT first STREQUAL last)
        troupe_folder_id(last ${last})
        string(APPEND name _to_${last})
      endif()
      list(APPEND names ${name})
      foreach(member ${group})
        set_source_files_properties(${sources_of_${member}} PROPERTIES UNITY_GROUP ${name})
      endforeach()
      set(group)
      set(together 0${size_of_${folder}})
    endif()
    list(APPEND group ${folder})
    set(bytes ${together})
  endforeach()
  set(${variable} ${names} PARENT_SCOPE)
endfunction()

# troupe_folder_id(VARIABLE FOLDER): sets VARIABLE to the folder's path in the project, as an identifier.
function(troupe_folder_id variable folder)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  string(MAKE_C_IDENTIFIER "${folder}" id)
  set(${variable} ${id} PARENT_SCOPE)
endfunction()

# troupe_library(NAME [RECURSE | FOLDERS folder...] [HOT | LIGHT | LIGHT_ROOMS folder...] [DIRECT] [INCLUDE regex]
#                [EXCLUDE regex] [DEPENDS library...] [PRIVATE library...])
#
# Adds a static library of the .cpp files in the current folder. They are found again at each build, so that adding a
# file needs no edit. RECURSE takes subfolders too, FOLDERS those that are named; INCLUDE and EXCLUDE filter by file
# name. HOT: code that every task passes through, which clang optimizes in sanitized builds, too. LIGHT: code that runs
# seldom, which is compiled with TROUPE_LIGHT_OPTIONS; LIGHT_ROOMS: only that in these folders. DIRECT: no other library replaces its functions by others of the
# same name, so GCC may call them directly and inline them, as clang does anyway; without it, code that could go into a
# shared library calls every function that is not inline through a table. A folder without sources becomes an interface
# library, so it may have headers alone. Files named cuda_* are left out if CUDA was not found.
function(troupe_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE;HOT;LIGHT;DIRECT" "INCLUDE;EXCLUDE" "FOLDERS;LIGHT_ROOMS;DEPENDS;PRIVATE")
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
    troupe_unity(${name} ${sources} LIGHT_ROOMS ${arg_LIGHT_ROOMS})
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

# troupe_heavy_headers(TARGET): clang reads CLI11 once for all such libraries, and instantiates there what
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
    target_link_libraries(troupe_heavy_headers PRIVATE troupe_options fmt::fmt CLI11::CLI11)
    target_precompile_headers(troupe_heavy_headers PRIVATE ${TROUPE_HEAVY_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM troupe_heavy_headers)
endfunction()
set(TROUPE_HEAVY_HEADERS <CLI/CLI.hpp> <fmt/format.h> <fmt/ranges.h>)

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
