# Finds the core library of the C++ Actor Framework, 0.17, which ships no CMake or pkg-config file.
# Defines the target CAF::core and CAF_VERSION.

find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_library(CAF_CORE_LIBRARY caf_core)

if(CAF_INCLUDE_DIR)
  # config.hpp has the version as one number: 1706 is 0.17.6.
  file(STRINGS ${CAF_INCLUDE_DIR}/caf/config.hpp caf_version_line REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" caf_number "${caf_version_line}")
  if(caf_number)
    math(EXPR caf_major "${caf_number} / 10000")
    math(EXPR caf_minor "${caf_number} / 100 % 100")
    math(EXPR caf_patch "${caf_number} % 100")
    set(CAF_VERSION ${caf_major}.${caf_minor}.${caf_patch})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_CORE_LIBRARY CAF_INCLUDE_DIR VERSION_VAR CAF_VERSION
                                  HANDLE_VERSION_RANGE)
mark_as_advanced(CAF_INCLUDE_DIR CAF_CORE_LIBRARY)

if(CAF_FOUND AND NOT TARGET CAF::core)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(CAF::core PROPERTIES IMPORTED_LOCATION ${CAF_CORE_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                             ${CAF_INCLUDE_DIR})
endif()
