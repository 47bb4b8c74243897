/// The entries for the platform, for functions of extensions, and for unloading compilers.
#include "opencl/objects/platform.hpp"

#include <string_view>

#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"
#include "opencl/objects/left_out.hpp"
#include "platform/opencl/opencl_loading.hpp"

namespace troupe::opencl {

cl_int get_platform_ids(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  return guarded([&] {
    require(platforms == nullptr || num_entries != 0, CL_INVALID_VALUE);
    require(platforms != nullptr || num_platforms != nullptr, CL_INVALID_VALUE);
    if (platforms != nullptr) *platforms = Platform::get().handle();
    if (num_platforms != nullptr) *num_platforms = 1;
  });
}

cl_int get_platform_info(cl_platform_id platform, cl_platform_info what, std::size_t size, void* value,
                         std::size_t* size_ret) {
  return guarded([&] { need<Platform>(platform).info(what, Info(size, value, size_ret)); });
}

cl_int icd_get_platform_ids(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  // A driver that Troupe is loading may ask OpenCL's loader for platforms, and the loader asks every platform,
  // including this one. This platform does not answer before all drivers are loaded.
  if (platform::is_loading_opencl()) return CL_PLATFORM_NOT_FOUND_KHR;
  const cl_int status = get_platform_ids(num_entries, platforms, num_platforms);
  if (status != CL_SUCCESS || !Platform::get().devices().empty()) return status;
  if (num_platforms != nullptr) *num_platforms = 0;
  report_no_devices();
  return CL_PLATFORM_NOT_FOUND_KHR;
}

/// Returns the address of a function that loaders request here, although the library also exports it by name.
void* get_extension_function_address(const char* name) {
  const std::string_view wanted = name == nullptr ? "" : name;
  if (wanted == "clIcdGetPlatformIDsKHR") return reinterpret_cast<void*>(&icd_get_platform_ids);
  if (wanted == "clGetPlatformInfo") return reinterpret_cast<void*>(&get_platform_info);
  return nullptr;
}

/// Does nothing, because the vendors' drivers unload their compilers themselves.
cl_int unload_compiler() { return CL_SUCCESS; }

cl_int unload_platform_compiler(cl_platform_id platform) {
  return guarded([&] { (void)need<Platform>(platform); });
}

void* get_extension_function_address_for_platform(cl_platform_id platform, const char* name) {
  return find<Platform>(platform) != nullptr ? get_extension_function_address(name) : nullptr;
}

}  // namespace troupe::opencl
