#include "platform/opencl/opencl_loading.hpp"

#include <CL/cl_icd.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "platform/files/dynamic_library.hpp"
#include "platform/opencl/opencl_error.hpp"
#include "platform/opencl/opencl_query.hpp"

namespace troupe::platform {

namespace {

/// The largest number of objects that a driver may report. No real driver has more.
constexpr cl_uint kMost = 1024;

thread_local bool loading_here = false;

class LoadingHere {
 public:
  LoadingHere() { loading_here = true; }
  LoadingHere(const LoadingHere&) = delete;
  LoadingHere& operator=(const LoadingHere&) = delete;
  ~LoadingHere() { loading_here = false; }
};

/// Returns true if the driver of a platform has the extension cl_khr_icd2. Then the table begins with a special tag,
/// `kTag`, and the loader must fill in the table.
bool wants_a_table(const _cl_icd_dispatch& api) {
  constexpr std::uintptr_t kTag = sizeof(void*) == 8 ? 0x4F50454E434C3331 : 0x434C3331;
  return reinterpret_cast<std::uintptr_t>(api.clGetPlatformIDs) == kTag;
}

using GetPlatforms = decltype(&clIcdGetPlatformIDsKHR);

Result<GetPlatforms> platforms_function(const DynamicLibrary& library) {
  const Result<void*> exported = library.find("clGetExtensionFunctionAddress");
  if (!exported) return exported.failure();
  const auto address_of = reinterpret_cast<void* (*)(const char*)>(exported.value());
  void* function = address_of("clIcdGetPlatformIDsKHR");
  if (function == nullptr) {
    const Result<void*> found = library.find("clIcdGetPlatformIDsKHR");
    if (!found) return Failure{ErrorCode::platform, "it cannot be loaded beside others: " + found.failure().message};
    function = found.value();
  }
  return reinterpret_cast<GetPlatforms>(function);
}

/// Returns the platforms of one driver, or the devices of one platform. `ask(number, objects, count)` is OpenCL's
/// function, and `none` is the status that it returns if there are no such objects.
template <class Object, class Ask>
Result<std::vector<Object>> all_of(const char* function, cl_int none, Ask ask) {
  cl_uint count = 0;
  cl_int status = ask(0, nullptr, &count);
  if (status == none || (status == CL_SUCCESS && count == 0)) return std::vector<Object>();
  std::vector<Object> objects(std::min(count, kMost), nullptr);
  if (status == CL_SUCCESS) status = ask(static_cast<cl_uint>(objects.size()), objects.data(), nullptr);
  if (status != CL_SUCCESS) {
    return Failure{ErrorCode::platform, fmt::format("{} failed: {}", function, opencl_error(status))};
  }
  return objects;
}

class Loading {
 public:
  OpenClDevices run(const OpenClSearch& search) {
    OpenClDrivers drivers = find_opencl_drivers(search);
    all_.skipped = std::move(drivers.skipped);
    for (const OpenClDriver& driver : drivers.drivers) {
      // A driver's functions may throw exceptions.
      try {
        add(driver);
      } catch (const std::exception& error) {
        skip(driver, std::string("it threw an exception: ") + error.what());
      } catch (...) {
        skip(driver, "it threw an exception");
      }
    }
    return std::move(all_);
  }

 private:
  void add(const OpenClDriver& driver) {
    if (std::string why = why_not_to_load(driver.library); !why.empty()) return leave(driver, why);
    const Result<DynamicLibrary> library = DynamicLibrary::open(driver.library, {}, {});
    if (!library) return skip(driver, library.failure().message);
    if (library.value().has(reinterpret_cast<const void*>(&is_loading_opencl))) {
      return leave(driver, "it is Troupe itself");
    }
    // The library's path may be a symbolic link to a file with another name.
    if (std::string why = why_not_to_load(library.value().file()); !why.empty()) return leave(driver, why);
    if (std::find(loaded_.begin(), loaded_.end(), library.value()) != loaded_.end()) return;
    loaded_.push_back(library.value());
    const Result<GetPlatforms> function = platforms_function(library.value());
    if (!function) return skip(driver, function.failure().message);
    const auto platforms =
        all_of<cl_platform_id>("clIcdGetPlatformIDsKHR", CL_PLATFORM_NOT_FOUND_KHR, function.value());
    if (!platforms) return skip(driver, platforms.failure().message);
    if (platforms.value().empty()) return leave(driver, "it finds nothing that it could drive");
    for (std::size_t i = 0; i < platforms.value().size(); ++i) {
      add(platforms.value()[i], fmt::format("platform {} of {}", i, driver.library));
    }
  }

  void add(cl_platform_id platform, const std::string& place) {
    const _cl_icd_dispatch* const api = dispatch_of(platform);
    if (api == nullptr) return skip(place, "it has no table of functions");
    if (wants_a_table(*api)) return skip(place, "it leaves its table to the loader (cl_khr_icd2)");
    if (api->clGetPlatformInfo == nullptr || api->clGetDeviceIDs == nullptr || api->clGetDeviceInfo == nullptr) {
      return skip(place, "functions that tell of its devices are missing in its table");
    }
    const Result<std::string> name = platform_text(platform, CL_PLATFORM_NAME, "CL_PLATFORM_NAME");
    if (!name) return skip(place, name.failure().message);
    const std::string what = name.value().empty() ? place : name.value();
    // Drivers that are older than the extension cl_khr_icd do not answer this question.
    const Result<std::string> suffix =
        platform_text(platform, CL_PLATFORM_ICD_SUFFIX_KHR, "CL_PLATFORM_ICD_SUFFIX_KHR");
    if (std::string why = why_not_to_use(name.value(), suffix ? suffix.value() : ""); !why.empty()) {
      return leave(what, why);
    }
    const auto devices = all_of<cl_device_id>(
        "clGetDeviceIDs", CL_DEVICE_NOT_FOUND, [&](cl_uint number, cl_device_id* ids, cl_uint* count) {
          return api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, number, ids, count);
        });
    if (!devices) return skip(what, devices.failure().message);
    if (devices.value().empty()) return leave(what, "it has no devices");
    for (std::size_t i = 0; i < devices.value().size(); ++i) {
      add(platform, devices.value()[i], what, fmt::format("device {} of {}", i, what));
    }
  }

  void add(cl_platform_id platform, cl_device_id id, const std::string& platform_name, const std::string& place) {
    OpenClDevice device;
    device.api = dispatch_of(id);
    device.platform = platform;
    device.id = id;
    device.platform_name = platform_name;
    if (device.api == nullptr || device.api->clGetDeviceInfo == nullptr) {
      return skip(place, "it has no table of functions");
    }
    const std::string why = describe_opencl_device(device);
    if (!why.empty()) return skip(device.name.empty() ? place : device.name + ", " + place, why);
    device.index = static_cast<int>(all_.devices.size());
    all_.devices.push_back(std::move(device));
  }

  void skip(std::string what, std::string why) { all_.skipped.push_back({std::move(what), std::move(why)}); }
  void skip(const OpenClDriver& driver, const std::string& why) {
    skip(driver.library, fmt::format("{} (named by {})", why, driver.named_by));
  }
  /// Skips a driver, platform or device that is not faulty.
  template <class What>
  void leave(const What& what, const std::string& why) {
    skip(what, why);
    all_.skipped.back().faulty = false;
  }

  OpenClDevices all_;
  /// The loaded libraries. A library is listed once, even if several ICD files name it.
  std::vector<DynamicLibrary> loaded_;
};

}  // namespace

bool is_loading_opencl() noexcept { return loading_here; }

OpenClDevices load_opencl_devices(const OpenClSearch& search) {
  if (loading_here) return {};
  const LoadingHere here;
  return Loading().run(search);
}

}  // namespace troupe::platform
