#include "opencl/objects/device_answers.hpp"

#include <algorithm>
#include <array>

#include "opencl/objects/versions.hpp"

namespace troupe::opencl {
namespace {

/// Answers a query about a feature that this platform does not have: with zero, null, or an empty list, of the type
/// that the standard names.
template <class T>
bool zero(const Info& answer) {
  answer.value(T{});
  return true;
}

bool nothing(const Info& answer) {
  answer.bytes(nullptr, 0);
  return true;
}

bool said(const Info& answer, std::string_view text) {
  answer.text(text);
  return true;
}

template <class T>
bool said(const Info& answer, T value) {
  answer.value(value);
  return true;
}

bool answer_images(cl_device_info what, const Info& answer) {
  switch (what) {
    case CL_DEVICE_IMAGE_SUPPORT: return said(answer, cl_bool{CL_FALSE});
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_SAMPLERS:
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: return zero<cl_uint>(answer);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: return zero<std::size_t>(answer);
    default: return false;
  }
}

bool answer_partition(cl_device_info what, const Info& answer) {
  switch (what) {
    case CL_DEVICE_PARENT_DEVICE: return zero<cl_device_id>(answer);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return zero<cl_uint>(answer);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE: return zero<cl_device_partition_property>(answer);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: return zero<cl_device_affinity_domain>(answer);
    case CL_DEVICE_REFERENCE_COUNT: return said(answer, cl_uint{1});
    default: return false;
  }
}

/// Answers queries about queues, which this platform implements itself.
bool answer_queues(cl_device_info what, const Info& answer) {
  switch (what) {
    case CL_DEVICE_QUEUE_PROPERTIES:
      return said(answer,
                  cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE});
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES: return zero<cl_command_queue_properties>(answer);
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS: return zero<cl_uint>(answer);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: return zero<cl_device_device_enqueue_capabilities>(answer);
    case CL_DEVICE_EXECUTION_CAPABILITIES: return said(answer, cl_device_exec_capabilities{CL_EXEC_KERNEL});
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: return said(answer, cl_bool{CL_TRUE});
    default: return false;
  }
}

/// Answers queries about features of OpenCL 2 and 3. The platform offers none of them.
bool answer_later_versions(cl_device_info what, const Info& answer) {
  switch (what) {
    case CL_DEVICE_SVM_CAPABILITIES: return zero<cl_device_svm_capabilities>(answer);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: return zero<std::size_t>(answer);
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_MAX_NUM_SUB_GROUPS: return zero<cl_uint>(answer);
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
    case CL_DEVICE_PIPE_SUPPORT: return zero<cl_bool>(answer);
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
      return said(answer,
                  cl_device_atomic_capabilities{CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP});
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
      return said(answer,
                  cl_device_atomic_capabilities{CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                                CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP});
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
    case CL_DEVICE_OPENCL_C_FEATURES: return nothing(answer);
    case CL_DEVICE_IL_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS:
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: return said(answer, std::string_view());
    default: return false;
  }
}

bool answer_versions(cl_device_info what, const Info& answer) {
  static constexpr std::array<cl_name_version, 3> kLanguages{{{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                                              {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                                              {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"}}};
  switch (what) {
    case CL_DEVICE_VERSION: return said(answer, kOpenClVersion);
    case CL_DEVICE_NUMERIC_VERSION: return said(answer, kNumericVersion);
    case CL_DEVICE_OPENCL_C_VERSION: return said(answer, kLanguageVersion);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS: answer.list(std::span<const cl_name_version>(kLanguages)); return true;
    default: return false;
  }
}

/// The ways to merge the numbers of several devices into one number.
enum class Merge { least, most, sum, bits_of_all };

template <class T>
T merge(const std::vector<RealDevice*>& devices, cl_device_info what, Merge how) {
  T merged = devices.front()->ask<T>(what);
  for (auto device = devices.begin() + 1; device != devices.end(); ++device) {
    const T value = (*device)->ask<T>(what);
    switch (how) {
      case Merge::least: merged = std::min(merged, value); break;
      case Merge::most: merged = std::max(merged, value); break;
      case Merge::sum: merged += value; break;
      case Merge::bits_of_all: merged &= value; break;
    }
  }
  return merged;
}

template <class T>
bool merged(const std::vector<RealDevice*>& devices, cl_device_info what, Merge how, const Info& answer) {
  return said(answer, merge<T>(devices, what, how));
}

bool answer_merged_uint(const std::vector<RealDevice*>& devices, cl_device_info what, const Info& answer) {
  switch (what) {
    case CL_DEVICE_MAX_COMPUTE_UNITS: return merged<cl_uint>(devices, what, Merge::sum, answer);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
    // The largest value is CL_GLOBAL (2), which means that local memory is slow. The answer is CL_GLOBAL if at least
    // one device reports it.
    case CL_DEVICE_LOCAL_MEM_TYPE: return merged<cl_uint>(devices, what, Merge::most, answer);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
    case CL_DEVICE_ADDRESS_BITS:
    case CL_DEVICE_MAX_CONSTANT_ARGS:
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: return merged<cl_uint>(devices, what, Merge::least, answer);
    default: return false;
  }
}

/// Returns the total memory of all devices. Devices that share the host's memory use the same memory, so it counts
/// once.
cl_ulong memory_of_all(const std::vector<RealDevice*>& devices) {
  cl_ulong own = 0;
  cl_ulong shared = 0;
  for (const RealDevice* device : devices) {
    const cl_ulong size = device->memory();
    if (device->vendor().shares_host_memory) {
      shared = std::max(shared, size);
    } else {
      own += size;
    }
  }
  return own + shared;
}

cl_ulong largest_piece_of_all(const std::vector<RealDevice*>& devices) {
  cl_ulong least = devices.front()->largest_piece();
  for (const RealDevice* device : devices) least = std::min(least, device->largest_piece());
  return least;
}

bool answer_merged_sizes(const std::vector<RealDevice*>& devices, cl_device_info what, const Info& answer) {
  switch (what) {
    case CL_DEVICE_GLOBAL_MEM_SIZE: return said(answer, memory_of_all(devices));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return said(answer, largest_piece_of_all(devices));
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
    case CL_DEVICE_LOCAL_MEM_SIZE: return merged<cl_ulong>(devices, what, Merge::least, answer);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    case CL_DEVICE_MAX_PARAMETER_SIZE:
    case CL_DEVICE_PRINTF_BUFFER_SIZE: return merged<std::size_t>(devices, what, Merge::least, answer);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return merged<std::size_t>(devices, what, Merge::most, answer);
    case CL_DEVICE_SINGLE_FP_CONFIG:
    case CL_DEVICE_DOUBLE_FP_CONFIG:
    case CL_DEVICE_HALF_FP_CONFIG: return merged<cl_device_fp_config>(devices, what, Merge::bits_of_all, answer);
    default: return false;
  }
}

/// Answers with the largest sizes of groups that all devices accept, by dimension.
void answer_item_sizes(const std::vector<RealDevice*>& devices, const Info& answer) {
  constexpr std::size_t kMost = 16;
  const auto dimensions =
      std::min<std::size_t>(merge<cl_uint>(devices, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, Merge::least), kMost);
  std::vector<std::size_t> least(dimensions, ~std::size_t{0});
  for (const RealDevice* device : devices) {
    const auto sizes = device->ask<std::array<std::size_t, kMost>>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
    for (std::size_t i = 0; i < dimensions; ++i) least[i] = std::min(least[i], sizes[i]);
  }
  answer.list(std::span<const std::size_t>(least));
}

}  // namespace

bool answer_for_all(cl_device_info what, const Info& answer) {
  return answer_images(what, answer) || answer_partition(what, answer) || answer_queues(what, answer) ||
         answer_later_versions(what, answer) || answer_versions(what, answer);
}

bool answer_merged(const std::vector<RealDevice*>& devices, cl_device_info what, const Info& answer) {
  switch (what) {
    case CL_DEVICE_VENDOR: return said(answer, std::string_view("Troupe"));
    case CL_DEVICE_VENDOR_ID: return zero<cl_uint>(answer);
    case CL_DRIVER_VERSION: return said(answer, std::string_view(TROUPE_VERSION));
    case CL_DEVICE_PROFILE: {
      const bool full = std::ranges::all_of(
          devices, [](const RealDevice* device) { return device->ask_text(CL_DEVICE_PROFILE) == "FULL_PROFILE"; });
      return said(answer, std::string_view(full ? "FULL_PROFILE" : "EMBEDDED_PROFILE"));
    }
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: answer_item_sizes(devices, answer); return true;
    default: return answer_merged_uint(devices, what, answer) || answer_merged_sizes(devices, what, answer);
  }
}

std::vector<std::string> common_extensions(const std::vector<RealDevice*>& devices) {
  std::vector<std::string> common = devices.front()->extensions();
  for (auto device = devices.begin() + 1; device != devices.end(); ++device) {
    const auto others = (*device)->extensions();
    std::erase_if(common, [&](const std::string& name) { return std::ranges::find(others, name) == others.end(); });
  }
  return common;
}

}  // namespace troupe::opencl
