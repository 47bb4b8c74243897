#include "platform/cuda/cuda_pinned_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <system_error>

#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_thread.hpp"
#include "platform/memory/pinned_memory.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

namespace {

/// A range of whole pages, by its first address.
struct Range {
  std::size_t size = 0;
  /// How many `PinnedMemory` lie in it.
  int users = 0;
  int device = 0;
};

using Ranges = std::map<const std::byte*, Range>;

struct Registry {
  /// One registration at a time: they take milliseconds.
  Mutex registering;
  Mutex mutex;
  Ranges ranges TROUPE_GUARDED_BY(mutex);
  std::multiset<int> devices TROUPE_GUARDED_BY(mutex);

  static Registry& get() {
    // Never destroyed: buffers of the program may end after it would be.
    static Registry* const registry = new Registry();
    return *registry;
  }

  /// The range that holds `address`, or the end.
  Ranges::iterator find(const std::byte* address) TROUPE_REQUIRES(mutex) {
    const auto next = ranges.upper_bound(address);
    if (next == ranges.begin()) return ranges.end();
    const auto found = std::prev(next);
    return address < found->first + found->second.size ? found : ranges.end();
  }
  bool overlaps(const std::byte* begin, const std::byte* end) TROUPE_REQUIRES(mutex) {
    const auto next = ranges.lower_bound(begin);
    return find(begin) != ranges.end() || (next != ranges.end() && next->first < end);
  }
};

const std::byte* round_down(const std::byte* address, std::size_t page) {
  return address - reinterpret_cast<std::uintptr_t>(address) % page;
}

/// The error of registering the range for all devices, from a thread whose device is `device`.
cudaError_t register_range(const CudaApi& api, int device, const std::byte* begin, std::size_t size) {
  return on_thread_of_its_own([&] {
    if (const cudaError_t status = api.cudaSetDevice(device); status != cudaSuccess) return status;
    // CUDA only reads the address; that memory is written to is what pinning is for.
    return api.cudaHostRegister(const_cast<std::byte*>(begin), size, cudaHostRegisterPortable);
  });
}

}  // namespace

void cuda_opened(int device) {
  Registry& registry = Registry::get();
  const LockGuard lock(registry.mutex);
  registry.devices.insert(device);
}

void cuda_closed(int device) {
  Registry& registry = Registry::get();
  const LockGuard lock(registry.mutex);
  if (const auto found = registry.devices.find(device); found != registry.devices.end()) registry.devices.erase(found);
}

bool pinned_in_part(const std::byte* data, std::size_t size) {
  Registry& registry = Registry::get();
  const LockGuard lock(registry.mutex);
  if (!registry.overlaps(data, data + size)) return false;
  const auto found = registry.find(data);
  return found == registry.ranges.end() || data + size > found->first + found->second.size;
}

Result<PinnedMemory> PinnedMemory::pin(const std::byte* data, Bytes size) {
  if (size.count == 0) return PinnedMemory();
  Registry& registry = Registry::get();
  const LockGuard one_at_a_time(registry.registering);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::byte* const begin = round_down(data, page);
  const std::byte* const end = round_down(data + size.count + page - 1, page);
  int device = -1;
  {
    const LockGuard lock(registry.mutex);
    if (registry.devices.empty()) return PinnedMemory();
    device = *registry.devices.begin();
    if (const auto found = registry.find(begin);
        found != registry.ranges.end() && end <= found->first + found->second.size) {
      ++found->second.users;
      return PinnedMemory(found->first);
    }
    if (registry.overlaps(begin, end)) return PinnedMemory();
  }
  Result<const CudaApi*> api = cuda_api();
  if (!api) return api.failure();
  const auto bytes = static_cast<std::size_t>(end - begin);
  const cudaError_t status = register_range(*api.value(), device, begin, bytes);
  // The program has done it already.
  if (status == cudaErrorHostMemoryAlreadyRegistered) return PinnedMemory();
  if (Result<void> done = cuda_check(*api.value(), status, "pinning " + std::to_string(bytes) + " bytes of host memory",
                                     ErrorCode::out_of_memory);
      !done) {
    return done.failure();
  }
  const LockGuard lock(registry.mutex);
  registry.ranges[begin] = {bytes, 1, device};
  return PinnedMemory(begin);
}

void PinnedMemory::unpin() noexcept {
  if (first_page_ == nullptr) return;
  Registry& registry = Registry::get();
  const LockGuard one_at_a_time(registry.registering);
  const std::byte* const begin = std::exchange(first_page_, nullptr);
  int device = -1;
  {
    const LockGuard lock(registry.mutex);
    const auto found = registry.ranges.find(begin);
    if (--found->second.users > 0) return;
    device = found->second.device;
    registry.ranges.erase(found);
  }
  // Fails only where the device is lost; the pages are then given back at the end of the process.
  try {
    on_thread_of_its_own([&] {
      const CudaApi& api = *cuda_api().value();
      (void)api.cudaSetDevice(device);
      (void)api.cudaHostUnregister(const_cast<std::byte*>(begin));
    });
  } catch (const std::system_error&) {
    // No thread can be had.
  }
}

}  // namespace troupe::platform
