# troupe_library(NAME [RECURSE] [INCLUDE regex] [EXCLUDE regex] [DEPENDS library...] [PRIVATE library...])
#
# A static library of the .cpp files in the current folder, found again at each build, so that adding a file needs no
# edit. RECURSE takes subfolders too; INCLUDE and EXCLUDE filter by file name. A folder without sources becomes an
# interface library, so that headers alone are fine.
function(troupe_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE" "INCLUDE;EXCLUDE" "DEPENDS;PRIVATE")
  set(glob GLOB)
  if(arg_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(arg_INCLUDE)
    list(FILTER sources INCLUDE REGEX "${arg_INCLUDE}")
  endif()
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()

  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC troupe_options ${arg_DEPENDS} PRIVATE fmt::fmt ${arg_PRIVATE})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE troupe_options ${arg_DEPENDS})
  endif()
endfunction()

# troupe_objects(VARIABLE library...): the object files of those of the libraries that have any.
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
