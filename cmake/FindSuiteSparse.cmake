# Finds parts of Debian's SuiteSparse (libsuitesparse-dev), which has no CMake files: AMD, an ordering of sparse
# matrices, and UMFPACK, a sparse LU. Defines the targets SuiteSparse::AMD and SuiteSparse::UMFPACK for those that are
# found.
include(FindPackageHandleStandardArgs)

find_path(SuiteSparse_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse)
foreach(part AMD UMFPACK)
  string(TOLOWER ${part} name)
  find_library(SuiteSparse_${part}_LIBRARY ${name})
  if(SuiteSparse_INCLUDE_DIR AND SuiteSparse_${part}_LIBRARY AND EXISTS ${SuiteSparse_INCLUDE_DIR}/${name}.h)
    set(SuiteSparse_${part}_FOUND TRUE)
    if(NOT TARGET SuiteSparse::${part})
      add_library(SuiteSparse::${part} UNKNOWN IMPORTED)
      set_target_properties(SuiteSparse::${part} PROPERTIES IMPORTED_LOCATION ${SuiteSparse_${part}_LIBRARY}
                                                            INTERFACE_INCLUDE_DIRECTORIES ${SuiteSparse_INCLUDE_DIR})
    endif()
  endif()
  mark_as_advanced(SuiteSparse_${part}_LIBRARY)
endforeach()
mark_as_advanced(SuiteSparse_INCLUDE_DIR)
find_package_handle_standard_args(SuiteSparse REQUIRED_VARS SuiteSparse_AMD_LIBRARY SuiteSparse_INCLUDE_DIR HANDLE_COMPONENTS)
