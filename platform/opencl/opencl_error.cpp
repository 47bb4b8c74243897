#include "platform/opencl/opencl_error.hpp"

#include <CL/cl.h>
#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <fmt/format.h>

// The headers of some releases do not have these codes yet.
#ifndef CL_INVALID_COMMAND_BUFFER_KHR
#define CL_INVALID_COMMAND_BUFFER_KHR -1138
#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR -1139
#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR -1140
#endif
#ifndef CL_INVALID_MUTABLE_COMMAND_KHR
#define CL_INVALID_MUTABLE_COMMAND_KHR -1141
#endif
#ifndef CL_INVALID_SEMAPHORE_KHR
#define CL_INVALID_SEMAPHORE_KHR -1142
#endif
#ifndef CL_CONTEXT_TERMINATED_KHR
#define CL_CONTEXT_TERMINATED_KHR -1121
#endif

#define TROUPE_OPENCL_ERRORS(X)                    \
  X(CL_SUCCESS)                                    \
  X(CL_DEVICE_NOT_FOUND)                           \
  X(CL_DEVICE_NOT_AVAILABLE)                       \
  X(CL_COMPILER_NOT_AVAILABLE)                     \
  X(CL_MEM_OBJECT_ALLOCATION_FAILURE)              \
  X(CL_OUT_OF_RESOURCES)                           \
  X(CL_OUT_OF_HOST_MEMORY)                         \
  X(CL_PROFILING_INFO_NOT_AVAILABLE)               \
  X(CL_MEM_COPY_OVERLAP)                           \
  X(CL_IMAGE_FORMAT_MISMATCH)                      \
  X(CL_IMAGE_FORMAT_NOT_SUPPORTED)                 \
  X(CL_BUILD_PROGRAM_FAILURE)                      \
  X(CL_MAP_FAILURE)                                \
  X(CL_MISALIGNED_SUB_BUFFER_OFFSET)               \
  X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)  \
  X(CL_COMPILE_PROGRAM_FAILURE)                    \
  X(CL_LINKER_NOT_AVAILABLE)                       \
  X(CL_LINK_PROGRAM_FAILURE)                       \
  X(CL_DEVICE_PARTITION_FAILED)                    \
  X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)              \
  X(CL_INVALID_VALUE)                              \
  X(CL_INVALID_DEVICE_TYPE)                        \
  X(CL_INVALID_PLATFORM)                           \
  X(CL_INVALID_DEVICE)                             \
  X(CL_INVALID_CONTEXT)                            \
  X(CL_INVALID_QUEUE_PROPERTIES)                   \
  X(CL_INVALID_COMMAND_QUEUE)                      \
  X(CL_INVALID_HOST_PTR)                           \
  X(CL_INVALID_MEM_OBJECT)                         \
  X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)            \
  X(CL_INVALID_IMAGE_SIZE)                         \
  X(CL_INVALID_SAMPLER)                            \
  X(CL_INVALID_BINARY)                             \
  X(CL_INVALID_BUILD_OPTIONS)                      \
  X(CL_INVALID_PROGRAM)                            \
  X(CL_INVALID_PROGRAM_EXECUTABLE)                 \
  X(CL_INVALID_KERNEL_NAME)                        \
  X(CL_INVALID_KERNEL_DEFINITION)                  \
  X(CL_INVALID_KERNEL)                             \
  X(CL_INVALID_ARG_INDEX)                          \
  X(CL_INVALID_ARG_VALUE)                          \
  X(CL_INVALID_ARG_SIZE)                           \
  X(CL_INVALID_KERNEL_ARGS)                        \
  X(CL_INVALID_WORK_DIMENSION)                     \
  X(CL_INVALID_WORK_GROUP_SIZE)                    \
  X(CL_INVALID_WORK_ITEM_SIZE)                     \
  X(CL_INVALID_GLOBAL_OFFSET)                      \
  X(CL_INVALID_EVENT_WAIT_LIST)                    \
  X(CL_INVALID_EVENT)                              \
  X(CL_INVALID_OPERATION)                          \
  X(CL_INVALID_GL_OBJECT)                          \
  X(CL_INVALID_BUFFER_SIZE)                        \
  X(CL_INVALID_MIP_LEVEL)                          \
  X(CL_INVALID_GLOBAL_WORK_SIZE)                   \
  X(CL_INVALID_PROPERTY)                           \
  X(CL_INVALID_IMAGE_DESCRIPTOR)                   \
  X(CL_INVALID_COMPILER_OPTIONS)                   \
  X(CL_INVALID_LINKER_OPTIONS)                     \
  X(CL_INVALID_DEVICE_PARTITION_COUNT)             \
  X(CL_INVALID_PIPE_SIZE)                          \
  X(CL_INVALID_DEVICE_QUEUE)                       \
  X(CL_INVALID_SPEC_ID)                            \
  X(CL_MAX_SIZE_RESTRICTION_EXCEEDED)              \
  X(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR)        \
  X(CL_PLATFORM_NOT_FOUND_KHR)                     \
  X(CL_DEVICE_PARTITION_FAILED_EXT)                \
  X(CL_INVALID_PARTITION_COUNT_EXT)                \
  X(CL_INVALID_PARTITION_NAME_EXT)                 \
  X(CL_EGL_RESOURCE_NOT_ACQUIRED_KHR)              \
  X(CL_INVALID_EGL_OBJECT_KHR)                     \
  X(CL_INVALID_ACCELERATOR_INTEL)                  \
  X(CL_INVALID_ACCELERATOR_TYPE_INTEL)             \
  X(CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL)       \
  X(CL_ACCELERATOR_TYPE_NOT_SUPPORTED_INTEL)       \
  X(CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM) \
  X(CL_CONTEXT_TERMINATED_KHR)                     \
  X(CL_INVALID_COMMAND_BUFFER_KHR)                 \
  X(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)           \
  X(CL_INCOMPATIBLE_COMMAND_QUEUE_KHR)             \
  X(CL_INVALID_MUTABLE_COMMAND_KHR)                \
  X(CL_INVALID_SEMAPHORE_KHR)

namespace troupe::platform {

std::string opencl_error(int status) {
  switch (status) {
#define TROUPE_OPENCL_ERROR_CASE(name) \
  case name: return fmt::format(#name " ({})", status);
    TROUPE_OPENCL_ERRORS(TROUPE_OPENCL_ERROR_CASE)
#undef TROUPE_OPENCL_ERROR_CASE
    default: return fmt::format("error {}", status);
  }
}

}  // namespace troupe::platform

#undef TROUPE_OPENCL_ERRORS
