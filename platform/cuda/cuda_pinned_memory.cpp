#include "platform/cuda/cuda_pinned_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_thread.hpp"
#include "platform/memory/pinned_memory.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

namespace {

/// A range of whole pages. The key in the map is its first address.
struct Range {
  std::size_t size = 0;
  /// The number of `PinnedMemory` objects in the range.
  int users = 0;
  /// The device that pinned the range.
  int device = 0;
};

using Ranges = std::map<const std::byte*, Range>;

struct Registry {
  /// Held during a registration: only one registration runs at a time, because each takes milliseconds.
  Mutex registering;
  Mutex mutex;
  Ranges ranges TROUPE_GUARDED_BY(mutex);
  std::multiset<int> devices TROUPE_GUARDED_BY(mutex);

  static Registry& get() {
    // The registry is never destroyed: the program may destroy buffers after all other static objects.
    static Registry* const registry = new Registry();
    return *registry;
  }

  /// Returns `first`, and after it all other open devices, each once.
  [[nodiscard]] std::vector<int> devices_after(int first) TROUPE_REQUIRES(mutex) {
    std::vector<int> all{first};
    for (const int device : devices) {
      if (std::ranges::find(all, device) == all.end()) all.push_back(device);
    }
    return all;
  }

  /// Returns the range that holds `address`; `ranges.end()` if there is none.
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

struct Answer {
  cudaError_t status = cudaErrorNoDevice;
  int device = 0;
};

/// Tries the devices one after the other until one is not lost: makes the device the current one of a new thread, and
/// calls `work` there.
template <class F>
Answer on_a_device(const CudaApi& api, const std::vector<int>& devices, const F& work) {
  Answer answer;
  for (const int device : devices) {
    answer = {on_thread_of_its_own([&] {
                const cudaError_t set = api.cudaSetDevice(device);
                return set == cudaSuccess ? work() : set;
              }),
              device};
    if (!is_sticky(answer.status)) break;
  }
  return answer;
}

/// Keeps a range in the registry from before CUDA pins it until after CUDA has unpinned it. During this time CUDA
/// refuses copies that reach beyond the range, so threads that copy must find the range in the registry.
class EnteredRange {
 public:
  EnteredRange(Registry& registry, const std::byte* begin) : registry_(registry), begin_(begin) {}
  EnteredRange(const EnteredRange&) = delete;
  EnteredRange& operator=(const EnteredRange&) = delete;
  ~EnteredRange() {
    const LockGuard lock(registry_.mutex);
    const auto found = registry_.ranges.find(begin_);
    if (found != registry_.ranges.end() && found->second.users == 0) registry_.ranges.erase(found);
  }
  /// Adds a user to the range, so that the range stays in the registry when this object is destroyed.
  void has_user(int device) {
    const LockGuard lock(registry_.mutex);
    Range& range = registry_.ranges[begin_];
    range.device = device;
    ++range.users;
  }

 private:
  Registry& registry_;
  const std::byte* const begin_;
};

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
  const auto bytes = static_cast<std::size_t>(end - begin);
  std::vector<int> devices;
  {
    const LockGuard lock(registry.mutex);
    if (registry.devices.empty()) return PinnedMemory();
    devices = registry.devices_after(*registry.devices.begin());
    if (const auto found = registry.find(begin);
        found != registry.ranges.end() && end <= found->first + found->second.size) {
      ++found->second.users;
      return PinnedMemory(found->first);
    }
    if (registry.overlaps(begin, end)) return PinnedMemory();
    registry.ranges[begin] = {bytes};
  }
  EnteredRange entered(registry, begin);
  Result<const CudaApi*> api = cuda_api();
  if (!api) return api.failure();
  const Answer answer = on_a_device(*api.value(), devices, [&] {
    // The cast is safe. CUDA takes a pointer to non-const memory because copies write to pinned memory, but pinning
    // itself writes nothing.
    return api.value()->cudaHostRegister(const_cast<std::byte*>(begin), bytes, cudaHostRegisterPortable);
  });
  // This is not a failure: either the program has already pinned the memory, or all GPUs are lost, which their copies
  // report.
  if (answer.status == cudaErrorHostMemoryAlreadyRegistered || is_sticky(answer.status)) return PinnedMemory();
  if (Result<void> done =
          cuda_check(*api.value(), answer.status, "pinning " + std::to_string(bytes) + " bytes of host memory",
                     ErrorCode::out_of_memory);
      !done) {
    return done.failure();
  }
  entered.has_user(answer.device);
  return PinnedMemory(begin);
}

void PinnedMemory::unpin() noexcept {
  if (first_page_ == nullptr) return;
  Registry& registry = Registry::get();
  const LockGuard one_at_a_time(registry.registering);
  const std::byte* const begin = std::exchange(first_page_, nullptr);
  std::vector<int> devices;
  {
    const LockGuard lock(registry.mutex);
    Range& range = registry.ranges[begin];
    if (--range.users > 0) return;
    devices = registry.devices_after(range.device);
  }
  const EnteredRange entered(registry, begin);
  // Unpinning fails only if all devices are lost; the pages are then released at the end of the process.
  try {
    const CudaApi& api = *cuda_api().value();
    (void)on_a_device(api, devices, [&] { return api.cudaHostUnregister(const_cast<std::byte*>(begin)); });
  } catch (const std::system_error&) {
    // No thread could be started.
  }
}

}  // namespace troupe::platform
