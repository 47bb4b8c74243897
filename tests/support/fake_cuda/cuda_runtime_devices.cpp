// The fake's functions for devices, memory, streams and events. They behave as CUDA's documentation says.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/fake_cuda/cuda_machine.hpp"

using namespace troupe::tests;
using namespace troupe::tests::fake_cuda;

namespace {

/// Calls `body(machine, device)` under the lock with the calling thread's device. Returns an error if that device
/// cannot be used.
template <class F>
cudaError_t on_device(const F& body) {
  Machine& machine = Machine::get();
  const std::lock_guard lock(machine.mutex);
  int device = -1;
  const cudaError_t error = machine.current(device);
  if (device >= 0) machine.begin_to_use(device);
  return report(error != cudaSuccess ? error : body(machine, device));
}

cudaError_t physical(const Machine& machine, int device, int& found) {
  std::vector<int> all;
  if (const cudaError_t error = machine.visible(all); error != cudaSuccess) return error;
  if (device < 0 || static_cast<std::size_t>(device) >= all.size()) return cudaErrorInvalidDevice;
  found = all[static_cast<std::size_t>(device)];
  return cudaSuccess;
}

/// Calls `body` like `on_device`, but with the device number that is an argument of the CUDA function.
template <class F>
cudaError_t of_device(int device, const F& body) {
  Machine& machine = Machine::get();
  const std::lock_guard lock(machine.mutex);
  int found = -1;
  const cudaError_t error = physical(machine, device, found);
  return report(error != cudaSuccess ? error : body(machine, found));
}

}  // namespace

cudaError_t cudaDriverGetVersion(int* version) {
  *version = Machine::get().options.driver_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  Machine& machine = Machine::get();
  const std::lock_guard lock(machine.mutex);
  std::vector<int> all;
  const cudaError_t error = machine.visible(all);
  if (error == cudaSuccess) *count = static_cast<int>(all.size());
  return report(error);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return of_device(device, [&](Machine& machine, int found) {
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "Fake GPU %d", found);
    properties->totalGlobalMem = machine.options.memory;
    properties->major = machine.options.capability_major;
    properties->minor = machine.options.capability_minor;
    properties->multiProcessorCount = machine.options.multiprocessors;
    properties->asyncEngineCount = 2;
    properties->pciBusID = found + 1;
    properties->canUseHostPointerForRegisteredMem = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return of_device(device, [&](Machine& machine, int) {
    switch (attribute) {
      case cudaDevAttrComputeCapabilityMajor: *value = machine.options.capability_major; break;
      case cudaDevAttrComputeCapabilityMinor: *value = machine.options.capability_minor; break;
      case cudaDevAttrMultiProcessorCount: *value = machine.options.multiprocessors; break;
      case cudaDevAttrClockRate: *value = machine.options.clock_khz; break;
      case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = machine.options.single_to_double; break;
      case cudaDevAttrMaxThreadsPerBlock: *value = 1024; break;
      case cudaDevAttrMaxSharedMemoryPerBlock: *value = 48 << 10; break;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 227 << 10; break;
      case cudaDevAttrHostRegisterSupported:
      case cudaDevAttrCanUseHostPointerForRegisteredMem:
      case cudaDevAttrUnifiedAddressing: *value = 1; break;
      default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  return of_device(device, [&](Machine&, int found) {
    std::snprintf(text, static_cast<std::size_t>(size), "0000:%02x:00.0", found + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return of_device(device, [&](Machine& machine, int found) {
    current_device = device;
    // Since version 12 of CUDA, this call begins to use the device.
    machine.begin_to_use(found);
    return found == machine.options.unavailable_device ? cudaErrorDevicesUnavailable : machine.fault_of(found);
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return on_device([&](Machine& machine, int device) {
    *total = machine.options.memory;
    *free = machine.options.memory - machine.options.taken - machine.devices[static_cast<std::size_t>(device)].used;
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** address, std::size_t size) {
  return on_device([&](Machine& machine, int device) {
    std::uint64_t& used = machine.devices[static_cast<std::size_t>(device)].used;
    const std::uint64_t free = machine.options.memory - machine.options.taken - used;
    if (size > free || ++machine.mallocs == machine.options.failing_malloc) return cudaErrorMemoryAllocation;
    auto* const block = static_cast<std::byte*>(std::aligned_alloc(512, (size + 511) / 512 * 512));
    // Fills the memory with a pattern, because callers must not rely on the content of new memory.
    std::memset(block, 0xcd, size);
    used += size;
    machine.memory[block] = {size, device};
    *address = block;
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* address) {
  std::vector<Stream*> streams;
  const cudaError_t error = on_device([&](Machine& machine, int) {
    if (address == nullptr) return cudaSuccess;
    const auto found = machine.memory.find(static_cast<const std::byte*>(address));
    if (found == machine.memory.end()) return cudaErrorInvalidValue;
    for (const auto& [stream, owned] : machine.streams) {
      if (stream->device == found->second.device) streams.push_back(stream);
    }
    return cudaSuccess;
  });
  if (error != cudaSuccess || address == nullptr) return error;
  // The real library also completes enqueued work before it frees the memory.
  for (Stream* stream : streams) stream->drain();
  return on_device([&](Machine& machine, int) {
    const auto found = machine.memory.find(static_cast<const std::byte*>(address));
    machine.devices[static_cast<std::size_t>(found->second.device)].used -= found->second.size;
    machine.memory.erase(found);
    std::free(address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void** address, std::size_t size, unsigned /*flags*/) {
  return on_device([&](Machine& machine, int) {
    auto* const block = static_cast<std::byte*>(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096));
    machine.pinned_allocations[block] = size;
    *address = block;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* address) {
  return on_device([&](Machine& machine, int) {
    if (machine.pinned_allocations.erase(static_cast<const std::byte*>(address)) == 0) return cudaErrorInvalidValue;
    std::free(address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* address, std::size_t size, unsigned /*flags*/) {
  const cudaError_t status = on_device([&](Machine& machine, int) {
    const auto* const begin = static_cast<const std::byte*>(address);
    if (machine.options.host_register_fails) return cudaErrorMemoryAllocation;
    const bool overlaps = std::ranges::any_of(machine.pinned, [&](const auto& range) {
      return begin < range.first + range.second && range.first < begin + size;
    });
    if (overlaps) return cudaErrorHostMemoryAlreadyRegistered;
    machine.pinned[begin] = size;
    return cudaSuccess;
  });
  std::this_thread::sleep_for(std::chrono::nanoseconds(Machine::get().options.pinning_ns));
  return status;
}

cudaError_t cudaHostUnregister(void* address) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(Machine::get().options.pinning_ns));
  return on_device([&](Machine& machine, int) {
    return machine.pinned.erase(static_cast<const std::byte*>(address)) == 0 ? cudaErrorHostMemoryNotRegistered
                                                                             : cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_address, void* address, unsigned /*flags*/) {
  return on_device([&](Machine& machine, int) {
    if (machine.find(address, 1).side != Side::pinned) return cudaErrorInvalidValue;
    *device_address = address;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return on_device([&](Machine& machine, int) {
    const Place place = machine.find(address, 1);
    *attributes = {};
    attributes->type = place.side == Side::device   ? cudaMemoryTypeDevice
                       : place.side == Side::pinned ? cudaMemoryTypeHost
                                                    : cudaMemoryTypeUnregistered;
    attributes->device = place.device;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return of_device(device, [&](Machine& machine, int found) {
    int other = -1;
    const cudaError_t error = physical(machine, peer, other);
    if (error == cudaSuccess) *can = machine.options.peer_access && found != other ? 1 : 0;
    return error;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned /*flags*/) {
  return on_device([&](Machine& machine, int device) {
    int other = -1;
    if (const cudaError_t error = physical(machine, peer, other); error != cudaSuccess) return error;
    if (!machine.options.peer_access || device == other) return cudaErrorPeerAccessUnsupported;
    const bool enabled = machine.devices[static_cast<std::size_t>(device)].peers.insert(other).second;
    return enabled ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaGetLastError() { return take_last_error(true); }
cudaError_t cudaPeekAtLastError() { return take_last_error(false); }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver: return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorDevicesUnavailable: return "cudaErrorDevicesUnavailable";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorInvalidPitchValue: return "cudaErrorInvalidPitchValue";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    default: return "cudaError of the fake";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorDevicesUnavailable: return "CUDA-capable device(s) is/are busy or unavailable";
    default: return "it is as the fake says";
  }
}
