// A driver that wraps pocl. It has pocl's devices, and the second device fails. The environment variable FAILING_OPENCL
// says how:
// - "FUNCTION STATUS CALLS": after CALLS calls, the function fails with the status.
// - "lost STATUS CALLS": after CALLS launches, all enqueued work fails.
// - "local BYTES": the device has BYTES bytes of local memory.
// - "type TYPE": the device is of that type.
#include <CL/cl_icd.h>
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <type_traits>

namespace {

struct Fault {
  std::string what;
  cl_int number = 0;
  long calls = 0;
};

const Fault& fault() {
  static const Fault read = [] {
    Fault one;
    const char* const said = std::getenv("FAILING_OPENCL");
    std::istringstream(said != nullptr ? said : "") >> one.what >> one.number >> one.calls;
    return one;
  }();
  return read;
}

const _cl_icd_dispatch* pocl = nullptr;
_cl_icd_dispatch failing{};

bool fails(const char* function) {
  static std::atomic<long> calls{0};
  static std::atomic<bool> lost{false};
  if (fault().what != "lost") return fault().what == function && ++calls > fault().calls;
  if (std::strcmp(function, "clEnqueueNDRangeKernel") == 0 && ++calls > fault().calls) lost = true;
  return lost;
}

template <class Last>
cl_int* as_status(Last last) {
  if constexpr (std::is_same_v<Last, cl_int*>) {
    return last;
  } else {
    return nullptr;
  }
}

/// Replaces a function in the failing device's table. The new function first checks whether it has to fail.
template <auto kFunction, class Result, class... Arguments>
void let_fail(const char* name, Result (*)(Arguments...)) {
  static const char* const called = name;
  failing.*kFunction = [](Arguments... arguments) -> Result {
    if (!fails(called)) return (pocl->*kFunction)(arguments...);
    if constexpr (std::is_same_v<Result, cl_int>) {
      return fault().number;
    } else {
      for (cl_int* status : {as_status(arguments)...}) {
        if (status != nullptr) *status = fault().number;
      }
      return nullptr;
    }
  };
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, std::size_t size, void* value,
                               std::size_t* needed) {
  const cl_int status = pocl->clGetDeviceInfo(device, what, size, value, needed);
  if (what == CL_DEVICE_LOCAL_MEM_SIZE && value != nullptr && fault().what == "local") {
    const auto bytes = static_cast<cl_ulong>(fault().number);
    std::memcpy(value, &bytes, sizeof bytes);
  }
  if (what == CL_DEVICE_TYPE && value != nullptr && fault().what == "type") {
    const auto type = static_cast<cl_device_type>(fault().number);
    std::memcpy(value, &type, sizeof type);
  }
  return status;
}

void make_table(const _cl_icd_dispatch* of_pocl) {
  pocl = of_pocl;
  failing = *of_pocl;
#define FAILING(function) let_fail<&_cl_icd_dispatch::function>(#function, pocl->function)
  FAILING(clCreateContext);
  FAILING(clCreateCommandQueue);
  FAILING(clCreateBuffer);
  FAILING(clBuildProgram);
  FAILING(clEnqueueNDRangeKernel);
  FAILING(clEnqueueWriteBuffer);
  FAILING(clEnqueueReadBuffer);
  FAILING(clEnqueueMapBuffer);
  FAILING(clEnqueueUnmapMemObject);
  FAILING(clEnqueueMarkerWithWaitList);
  FAILING(clFlush);
  FAILING(clFinish);
#undef FAILING
  failing.clGetDeviceInfo = device_info;
}

template <class Object>
const _cl_icd_dispatch*& table_of(Object object) {
  return *reinterpret_cast<const _cl_icd_dispatch**>(object);
}

cl_int find_platforms(cl_uint room, cl_platform_id* to, cl_uint* count) {
  static void* const library = ::dlopen("libpocl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return CL_PLATFORM_NOT_FOUND_KHR;
  using AddressOf = void* (*)(const char*);
  const auto address_of = reinterpret_cast<AddressOf>(::dlsym(library, "clGetExtensionFunctionAddress"));
  const auto find = reinterpret_cast<decltype(&find_platforms)>(address_of("clIcdGetPlatformIDsKHR"));
  const cl_int status = find(room, to, count);
  if (status != CL_SUCCESS || to == nullptr || pocl != nullptr) return status;
  make_table(table_of(to[0]));
  std::array<cl_device_id, 2> devices{};
  if (pocl->clGetDeviceIDs(to[0], CL_DEVICE_TYPE_ALL, 2, devices.data(), nullptr) == CL_SUCCESS) {
    table_of(devices[1]) = &failing;
  }
  return status;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? reinterpret_cast<void*>(&find_platforms) : nullptr;
}
