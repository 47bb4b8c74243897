/// The functions that loaders look up in the library by name; the version script in this folder hides all others.
/// Loaders call the other functions through the table that every OpenCL handle points to.
#include "opencl/entries/entries.hpp"

extern "C" {

__attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return troupe::opencl::get_extension_function_address(name);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                                                 cl_platform_id* platforms,
                                                                                 cl_uint* num_platforms) {
  return troupe::opencl::icd_get_platform_ids(num_entries, platforms, num_platforms);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                                            cl_platform_info what, std::size_t size,
                                                                            void* value, std::size_t* size_ret) {
  return troupe::opencl::get_platform_info(platform, what, size, value, size_ret);
}
}
