/// Memory that a client and the service share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "platform/files/file_descriptor.hpp"
#include "platform/memory/pinned_memory.hpp"
#include "proto/errors.hpp"
#include "proto/units.hpp"

namespace troupe::service {

/// How much shared memory one client has and may have. Thread-safe.
class MemoryAccount {
 public:
  explicit MemoryAccount(Bytes most) : most_(most) {}
  /// False: that would be more than it may have, and nothing was taken.
  bool take(Bytes size);
  void give_back(Bytes size) { used_.fetch_sub(size.count, std::memory_order_relaxed); }
  [[nodiscard]] Bytes used() const { return {used_.load(std::memory_order_relaxed)}; }
  [[nodiscard]] Bytes most() const { return most_; }

 private:
  const Bytes most_;
  std::atomic<std::uint64_t> used_{0};
};

/// Anonymous shared memory that all of its pages have been allocated for, mapped here. Nobody can make it smaller or
/// larger, so that using the mapping never faults for lack of memory behind it, whatever the client does. No path leads
/// to it: who has no descriptor cannot read it. Goes with its owner.
class SharedSegment {
 public:
  /// Rounds up to whole pages. Fails with `invalid_argument` for a size of 0 or more than the account may have, and
  /// with `out_of_memory`.
  static Result<std::shared_ptr<SharedSegment>> create(Bytes size, std::shared_ptr<MemoryAccount> account);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] Bytes size() const { return size_; }
  /// For the client; the segment keeps it.
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }

 private:
  SharedSegment(Bytes size, std::shared_ptr<MemoryAccount> account) : size_(size), account_(std::move(account)) {}
  Result<void> open();
  Result<void> fill();

  const Bytes size_;
  /// What was taken from it is given back at the end.
  const std::shared_ptr<MemoryAccount> account_;
  platform::FileDescriptor descriptor_;
  std::byte* data_ = nullptr;
  platform::PinnedMemory pinned_;
};

}  // namespace troupe::service
