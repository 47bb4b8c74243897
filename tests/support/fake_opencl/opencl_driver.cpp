// A library that imitates a vendor's OpenCL driver. It has two platforms: the first one with a GPU and a CPU, the
// second one with an accelerator. No device can compute. The environment variable FAKE_OPENCL, which is read at every
// call, names a defect. Its values are the words in the calls `wrong("...")` below.
#include <CL/cl_icd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

struct _cl_device_id {
  const _cl_icd_dispatch* dispatch;
  const char* name;
  cl_device_type type;
  cl_uint units;
};

struct _cl_platform_id {
  const _cl_icd_dispatch* dispatch;
  const char* name;
  cl_uint device_count;
  std::array<_cl_device_id, 2> devices;
};

namespace {

bool wrong(std::string_view what) {
  const char* const said = std::getenv("FAKE_OPENCL");
  return said != nullptr && said == what;
}

/// Calls the function whose address is in FAKE_OPENCL_CALL. The function belongs to the program that has loaded this
/// library.
void call_back() {
  const char* const address = std::getenv("FAKE_OPENCL_CALL");
  if (address != nullptr) reinterpret_cast<void (*)()>(std::strtoull(address, nullptr, 16))();
}

cl_int answer(const void* value, std::size_t size, std::size_t room, void* to, std::size_t* needed) {
  if (needed != nullptr) *needed = size;
  if (to == nullptr) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  std::memcpy(to, value, size);
  return CL_SUCCESS;
}

cl_int answer(const std::string& text, std::size_t room, void* to, std::size_t* needed) {
  return answer(text.c_str(), text.size() + 1, room, to, needed);
}

template <class T>
cl_int answer_number(T value, std::size_t room, void* to, std::size_t* needed) {
  return answer(&value, sizeof value, room, to, needed);
}

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info question, std::size_t room, void* to,
                                 std::size_t* needed) {
  switch (question) {
    case CL_PLATFORM_NAME:
      if (wrong("platform_name_fails")) return CL_OUT_OF_HOST_MEMORY;
      return answer(wrong("unites_others") ? "StarPU's OpenCL" : platform->name, room, to, needed);
    case CL_PLATFORM_VENDOR: return answer("Nobody", room, to, needed);
    case CL_PLATFORM_VERSION: return answer("OpenCL 1.2 fake", room, to, needed);
    case CL_PLATFORM_EXTENSIONS: return answer("cl_khr_icd", room, to, needed);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      if (wrong("no_suffix")) return CL_INVALID_VALUE;
      return answer(wrong("suffix_troupe") ? "TROUPE" : "FAKE", room, to, needed);
    default: return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type, cl_uint room, cl_device_id* to, cl_uint* count) {
  if (wrong("no_devices")) return CL_DEVICE_NOT_FOUND;
  if (wrong("devices_fail")) return CL_OUT_OF_RESOURCES;
  if (count != nullptr) *count = platform->device_count;
  for (cl_uint i = 0; to != nullptr && i < room && i < platform->device_count; ++i) to[i] = &platform->devices[i];
  return CL_SUCCESS;
}

cl_int device_text(cl_device_id device, cl_device_info question, std::size_t room, void* to, std::size_t* needed) {
  switch (question) {
    case CL_DEVICE_NAME:
      if (wrong("endless_name")) return answer_number(0, 0, nullptr, needed), *needed = SIZE_MAX, CL_SUCCESS;
      if (wrong("padded_name")) return answer(std::string("  Fake \0  ", 10), room, to, needed);
      return answer(device->name, room, to, needed);
    case CL_DEVICE_VENDOR: return answer("Nobody", room, to, needed);
    case CL_DEVICE_VERSION: return answer("OpenCL 1.2 fake", room, to, needed);
    default: return answer("0.1", room, to, needed);
  }
}

/// Returns information about a device. Only the CPU gives wrong answers.
cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info question, std::size_t room, void* to,
                               std::size_t* needed) {
  const bool cpu = device->type == CL_DEVICE_TYPE_CPU;
  switch (question) {
    case CL_DEVICE_NAME:
    case CL_DEVICE_VENDOR:
    case CL_DEVICE_VERSION:
    case CL_DRIVER_VERSION: return device_text(device, question, room, to, needed);
    case CL_DEVICE_TYPE: return answer_number(device->type, room, to, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return answer_number(device->units, room, to, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      if (cpu && wrong("memory_fails")) return CL_OUT_OF_RESOURCES;
      return answer_number(cl_ulong{cpu && wrong("no_memory") ? 0U : 1U << 30U}, room, to, needed);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return answer_number(cl_ulong{1U << 28U}, room, to, needed);
    case CL_DEVICE_LOCAL_MEM_SIZE: return answer_number(cl_ulong{1U << 15U}, room, to, needed);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      if (wrong("opencl_1.0")) return CL_INVALID_VALUE;
      return answer_number(cl_bool{cpu}, room, to, needed);
    case CL_DEVICE_AVAILABLE: return answer_number(cl_bool{!(cpu && wrong("unavailable"))}, room, to, needed);
    case CL_DEVICE_COMPILER_AVAILABLE: return answer_number(cl_bool{!(cpu && wrong("no_compiler"))}, room, to, needed);
    default: return CL_INVALID_VALUE;
  }
}

_cl_icd_dispatch make_table() {
  _cl_icd_dispatch table{};
  table.clGetPlatformInfo = platform_info;
  table.clGetDeviceIDs = device_ids;
  table.clGetDeviceInfo = device_info;
  return table;
}

const _cl_icd_dispatch kTable = make_table();
/// A table whose function pointers are all null.
const _cl_icd_dispatch kHoles{};

std::array<_cl_platform_id, 2> platforms{
    {{&kTable,
      "Fake One",
      2,
      {{{&kTable, "Fake GPU", CL_DEVICE_TYPE_GPU, 8}, {&kTable, "Fake CPU", CL_DEVICE_TYPE_CPU, 2}}}},
     {&kTable, "Fake Two", 1, {{{&kTable, "Fake accelerator", CL_DEVICE_TYPE_ACCELERATOR, 1}, {}}}}}};

/// Returns a table with the mark that the extension cl_khr_icd2 requires. The loader has to fill in such a table.
const _cl_icd_dispatch* marked_table() {
  static _cl_icd_dispatch table{};
  const std::uintptr_t mark = 0x4F50454E434C3331;
  std::memcpy(static_cast<void*>(&table.clGetPlatformIDs), &mark, sizeof mark);
  return &table;
}

const _cl_icd_dispatch* table_of_first() {
  if (wrong("no_table")) return nullptr;
  if (wrong("holes")) return &kHoles;
  return wrong("icd2") ? marked_table() : &kTable;
}

cl_int platform_ids(cl_uint room, cl_platform_id* to, cl_uint* count) {
  call_back();
  if (wrong("throws")) throw std::runtime_error("the fake driver's exception");
  if (wrong("no_platform")) return CL_PLATFORM_NOT_FOUND_KHR;
  if (wrong("platforms_fail")) return CL_OUT_OF_HOST_MEMORY;
  if (count != nullptr) *count = wrong("zero_platforms") ? 0 : platforms.size();
  platforms[0].dispatch = table_of_first();
  platforms[0].devices[1].dispatch = wrong("device_without_table") ? nullptr : &kTable;
  for (cl_uint i = 0; to != nullptr && i < room && i < platforms.size(); ++i) to[i] = &platforms[i];
  if (to != nullptr && wrong("null_platform")) to[0] = nullptr;
  return CL_SUCCESS;
}

}  // namespace

#define TROUPE_EXPORTED extern "C" __attribute__((visibility("default")))

#ifdef FAKE_OPENCL_EXPORTS_PLATFORMS
// Real drivers that leave the look-up of functions to the dynamic loader export this function.
TROUPE_EXPORTED cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id* to, cl_uint* count) {
  return platform_ids(room, to, count);
}
TROUPE_EXPORTED void* CL_API_CALL clGetExtensionFunctionAddress(const char*) { return nullptr; }
#else
TROUPE_EXPORTED void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  const std::string_view wanted = name;
  if (wanted == "clIcdGetPlatformIDsKHR" && !wrong("no_icd")) return reinterpret_cast<void*>(&platform_ids);
  return nullptr;
}
#endif

#undef TROUPE_EXPORTED
