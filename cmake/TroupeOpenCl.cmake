# Finds OpenCL's headers. Nothing of Troupe links libOpenCL: the vendors' drivers are loaded when they are first asked
# for, see platform/opencl/opencl_devices.hpp. Defines the target troupe_opencl_headers, which has to be named before
# troupe_cuda_headers if both are used.
find_path(TROUPE_OPENCL_INCLUDE_DIR CL/cl_icd.h)
mark_as_advanced(TROUPE_OPENCL_INCLUDE_DIR)
if(NOT EXISTS ${TROUPE_OPENCL_INCLUDE_DIR}/CL/cl_icd.h)
  message(FATAL_ERROR "OpenCL's headers were not found (CL/cl_icd.h): install the package opencl-c-headers, or set "
                      "TROUPE_OPENCL_INCLUDE_DIR to the folder that has CL/ in it")
endif()
file(STRINGS ${TROUPE_OPENCL_INCLUDE_DIR}/CL/cl.h version_3 REGEX "define CL_DEVICE_NUMERIC_VERSION ")
if(NOT version_3)
  message(FATAL_ERROR "The headers in ${TROUPE_OPENCL_INCLUDE_DIR}/CL are older than OpenCL 3.0: install newer ones "
                      "(the package opencl-c-headers), or set TROUPE_OPENCL_INCLUDE_DIR to their folder")
endif()

# The headers get an include folder of their own: the compiler searches its standard folders last, and CUDA's toolkit
# may have another CL/.
set(folder ${PROJECT_BINARY_DIR}/opencl_headers)
file(MAKE_DIRECTORY ${folder})
file(CREATE_LINK ${TROUPE_OPENCL_INCLUDE_DIR}/CL ${folder}/CL SYMBOLIC)
add_library(troupe_opencl_headers INTERFACE)
target_include_directories(troupe_opencl_headers SYSTEM INTERFACE ${folder})
# Deprecated functions are declared, too, since tables of functions have them.
target_compile_definitions(troupe_opencl_headers INTERFACE CL_TARGET_OPENCL_VERSION=300 CL_USE_DEPRECATED_OPENCL_1_0_APIS
                           CL_USE_DEPRECATED_OPENCL_1_1_APIS CL_USE_DEPRECATED_OPENCL_1_2_APIS)
message(STATUS "OpenCL headers: ${TROUPE_OPENCL_INCLUDE_DIR}")

# OpenCL's loader, for examples and tests, which get their drivers from it.
find_library(TROUPE_OPENCL_LOADER NAMES libOpenCL.so.1)
mark_as_advanced(TROUPE_OPENCL_LOADER)
