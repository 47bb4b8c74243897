#include "platform/opencl/opencl_in_place.hpp"

#include <CL/cl_icd.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "platform/machine/clock.hpp"
#include "platform/memory/host_buffer.hpp"
#include "platform/opencl/opencl_contexts.hpp"
#include "platform/opencl/opencl_objects.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

namespace {

/// The size of a timed copy. Such a copy takes far longer than a driver's threads need to react to a command, but is
/// still short.
constexpr std::size_t kTimed = std::size_t{16} << 20U;
constexpr int kTimes = 8;
constexpr int kRounds = 4;
/// The part of the buffer whose content is compared.
constexpr std::size_t kLookedAt = std::size_t{1} << 20U;
/// A few bytes. Mapping them measures the fixed time of a mapping, which does not depend on its size.
constexpr std::size_t kLittle = 64;

/// Fills the memory with words that all differ. They also differ from the words of every other `salt`.
void fill_words(std::span<std::byte> memory, std::uint64_t salt) {
  auto* const words = reinterpret_cast<std::uint64_t*>(memory.data());
  for (std::size_t i = 0; i < memory.size() / sizeof *words; ++i) words[i] = (i + 1) * 0x9e3779b97f4a7c15ULL ^ salt;
}

/// Tests whether a device works in place. Throws `Error` if a call fails.
class InPlaceTrial {
 public:
  InPlaceTrial(const OpenClDevice& device, cl_context context)
      : api_(*device.api),
        size_(std::min<std::size_t>(kTimed, device.largest_buffer.count)),
        looked_at_(std::min(kLookedAt, size_)) {
    // The buffer gets pages of its own, from any NUMA node.
    static constexpr int kAnyNode = -1;
    host_ = HostBuffer::allocate_on({size_}, kAnyNode).value_or_throw();
    other_ = HostBuffer::allocate({looked_at_}).value_or_throw();
    fill_words(host_.bytes(), 1);
    queue_ = make_opencl_queue(api_, context, device.id, false).value_or_throw();
    buffer_ = make(context, CL_MEM_USE_HOST_PTR, size_, host_.data());
    on_device_ = make(context, 0, looked_at_, nullptr);
  }

  /// Returns the reason why the device does not work in place; empty if it does.
  std::string run() {
    static const std::string elsewhere = "it maps host memory elsewhere";
    if (!device_sees_host(1)) return "it does not see what host memory had when a buffer was made over it";
    if (map(size_) != host_.data()) return elsewhere;
    fill_words(host_.bytes(), 2);
    unmap();
    if (!device_sees_host(2)) return "it does not see what the host has written while a buffer was mapped";
    fill_words(other_.bytes(), 3);
    check(api_.clEnqueueWriteBuffer(queue_.get(), on_device_.get(), CL_TRUE, 0, looked_at_, other_.data(), 0, nullptr,
                                    nullptr),
          "writing");
    copy(on_device_, buffer_);
    if (map(size_) != host_.data()) return elsewhere;
    const bool seen = std::memcmp(host_.data(), other_.data(), looked_at_) == 0;
    unmap();
    return seen ? copies() : "host memory does not have what it has written when a buffer is mapped";
  }

 private:
  static void check(cl_int status, std::string_view what) {
    opencl_check(status, what, ErrorCode::platform).value_or_throw();
  }
  OpenClBuffer make(cl_context context, cl_mem_flags flags, std::size_t size, void* memory) {
    cl_int status = CL_SUCCESS;
    const cl_mem made = api_.clCreateBuffer(context, CL_MEM_READ_WRITE | flags, size, memory, &status);
    check(status, "making a buffer");
    return OpenClBuffer(api_, made);
  }
  void copy(const OpenClBuffer& from, const OpenClBuffer& to) {
    check(api_.clEnqueueCopyBuffer(queue_.get(), from.get(), to.get(), 0, 0, looked_at_, 0, nullptr, nullptr),
          "copying");
  }
  bool device_sees_host(std::uint64_t salt) {
    copy(buffer_, on_device_);
    HostBuffer seen = HostBuffer::allocate({looked_at_}).value_or_throw();
    check(api_.clEnqueueReadBuffer(queue_.get(), on_device_.get(), CL_TRUE, 0, looked_at_, seen.data(), 0, nullptr,
                                   nullptr),
          "reading");
    fill_words(other_.bytes(), salt);
    return std::memcmp(seen.data(), other_.data(), looked_at_) == 0;
  }
  void* map(std::size_t size) {
    cl_int status = CL_SUCCESS;
    mapped_ = api_.clEnqueueMapBuffer(queue_.get(), buffer_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                                      nullptr, nullptr, &status);
    check(status, "mapping");
    return mapped_;
  }
  void unmap() {
    check(api_.clEnqueueUnmapMemObject(queue_.get(), buffer_.get(), mapped_, 0, nullptr, nullptr), "unmapping");
    check(api_.clFinish(queue_.get()), "unmapping");
  }
  /// Returns the shortest time of several calls.
  template <class Do>
  static Duration time_of(Do&& what) {
    const SteadyClock clock;
    Duration shortest = Duration::max();
    for (int i = 0; i < kTimes; ++i) {
      const TimeStamp begin = clock.now();
      what();
      shortest = std::min(shortest, clock.now() - begin);
    }
    return shortest;
  }
  std::string copies() {
    const auto map_and_unmap = [this](std::size_t size) {
      return time_of([&] {
        map(size);
        unmap();
      });
    };
    const std::size_t half = size_ / 2;
    const auto copy_half = [&] { return time_of([&] { std::memcpy(host_.data(), host_.data() + half, half); }); };
    Duration all = Duration::max(), little = all;
    // Other programs may slow the host's own copy down, which looks as if the driver did not copy. So the host copies
    // at two different times before the first comparison.
    Duration copy_of_half = copy_half();
    // They may keep a driver's thread from its core for a whole round, too, which looks as if the driver copied.
    for (int round = 0; round < kRounds; ++round) {
      all = std::min(all, map_and_unmap(size_));
      little = std::min(little, map_and_unmap(std::min(kLittle, size_)));
      copy_of_half = std::min(copy_of_half, copy_half());
      // A driver that copies would copy at least `size_` bytes, which takes longer than this sum.
      if (all < little + copy_of_half) return "";
    }
    return fmt::format("to map and unmap {} bytes takes {} us, and {} bytes {} us: it copies", size_,
                       all.count() / 1000, kLittle, little.count() / 1000);
  }

  const _cl_icd_dispatch& api_;
  const std::size_t size_;
  const std::size_t looked_at_;
  // The memory is declared first, so that it is destroyed after the objects that use it.
  HostBuffer host_;
  HostBuffer other_;
  OpenClQueue queue_;
  OpenClBuffer buffer_;
  OpenClBuffer on_device_;
  void* mapped_ = nullptr;
};

bool has_functions(const _cl_icd_dispatch& api) {
  return api.clCreateContext != nullptr && api.clCreateCommandQueue != nullptr && api.clCreateBuffer != nullptr &&
         api.clEnqueueMapBuffer != nullptr && api.clEnqueueUnmapMemObject != nullptr &&
         api.clEnqueueCopyBuffer != nullptr && api.clEnqueueReadBuffer != nullptr &&
         api.clEnqueueWriteBuffer != nullptr && api.clFinish != nullptr;
}

OpenClInPlace find_out(const OpenClDevice& device) {
  if (!device.shares_host_memory) return {false, "it has memory of its own"};
  if (!has_functions(*device.api)) return {false, "its driver lacks functions for that"};
  const Result<OpenClContext> context = opencl_context(device);
  if (!context) return {false, context.failure().message};
  return try_opencl_in_place(device, context.value().get());
}

struct Tried {
  Mutex mutex;
  // The map is used for look-ups only. Nothing depends on the order of its keys, which are addresses.
  std::map<const _cl_device_id*, OpenClInPlace> found TROUPE_GUARDED_BY(mutex);
};

}  // namespace

OpenClInPlace try_opencl_in_place(const OpenClDevice& device, cl_context context) {
  try {
    std::string why_not = InPlaceTrial(device, context).run();
    return {why_not.empty(), std::move(why_not)};
  } catch (const Error& error) {
    return {false, error.what()};
  }
}

const OpenClInPlace& opencl_in_place(const OpenClDevice& device) {
  // The object is never destroyed: threads may call this function while the process ends.
  static Tried& all = *new Tried;
  // Two trials at the same time would slow each other down.
  const LockGuard lock(all.mutex);
  const auto known = all.found.find(device.id);
  if (known != all.found.end()) return known->second;
  return all.found.emplace(device.id, find_out(device)).first->second;
}

}  // namespace troupe::platform
