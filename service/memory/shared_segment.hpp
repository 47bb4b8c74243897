/// Memory that a client and the service share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "platform/files/file_descriptor.hpp"
#include "platform/memory/pinned_memory.hpp"
#include "service/budgets/user_budgets.hpp"
#include "service/memory/memory_account.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// Anonymous shared memory, mapped here, with all of its pages allocated. Nobody can change its size, so every address
/// of the mapping stays valid. A client can take pages out of the memory. The system allocates them anew at their next
/// use, and the accounts keep room for that (it can still fail if the system counts memory before it is used,
/// vm.overcommit_memory = 2). The memory has no path: a process without its descriptor cannot read it.
class SharedSegment {
 public:
  /// Rounds the size up to whole pages. Fails with `invalid_argument` for a size of 0 or more than an account allows,
  /// and with `out_of_memory`. `hold` lives as long as the segment, which tasks may keep longer than the client lives.
  static Result<std::shared_ptr<SharedSegment>> create(Bytes size, std::shared_ptr<MemoryAccount> account,
                                                       BudgetHold hold = {});
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] Bytes size() const { return size_; }
  /// Returns the descriptor, for the client; can be called once. The caller closes it soon, as descriptors are scarce.
  [[nodiscard]] platform::FileDescriptor take_descriptor() { return std::move(descriptor_); }
  /// The client loses its right to the memory: its pages are given back to the system when the last user has gone, even
  /// if the client keeps its mapping.
  void take_away() { taken_away_ = true; }

 private:
  SharedSegment(Bytes size, std::shared_ptr<MemoryAccount> account, BudgetHold hold)
      : hold_(std::move(hold)), size_(size), account_(std::move(account)) {}
  Result<void> open();
  Result<void> fill();

  /// Declared first, so that it is given back after everything else has gone.
  const BudgetHold hold_;
  const Bytes size_;
  /// The account from which the segment's bytes were taken. They are given back at the end.
  const std::shared_ptr<MemoryAccount> account_;
  platform::FileDescriptor descriptor_;
  std::byte* data_ = nullptr;
  platform::PinnedMemory pinned_;
  std::atomic<bool> taken_away_{false};
};

}  // namespace troupe::service
