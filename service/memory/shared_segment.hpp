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

/// Anonymous shared memory that all of its pages have been allocated for, mapped here. Nobody can make it smaller or
/// larger, so that every address of the mapping stays good. A client can take pages out of it; then they are allocated
/// anew when they are used, for which the accounts keep room (where the system counts memory before it is used,
/// vm.overcommit_memory = 2, that can fail all the same). No path leads to it: who has no descriptor cannot read it.
class SharedSegment {
 public:
  /// Rounds up to whole pages. Fails with `invalid_argument` for a size of 0 or more than one of the accounts may have,
  /// and with `out_of_memory`.
  /// `hold` stays as long as the segment, which is longer than its client where tasks use it.
  static Result<std::shared_ptr<SharedSegment>> create(Bytes size, std::shared_ptr<MemoryAccount> account,
                                                       BudgetHold hold = {});
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] Bytes size() const { return size_; }
  /// For the client; once. Whoever has it closes it, as descriptors are scarce.
  [[nodiscard]] platform::FileDescriptor take_descriptor() { return std::move(descriptor_); }
  /// The client has no right to it any more: its pages are the system's again when the last user goes, even where the
  /// client has kept its mapping.
  void take_away() { taken_away_ = true; }

 private:
  SharedSegment(Bytes size, std::shared_ptr<MemoryAccount> account, BudgetHold hold)
      : hold_(std::move(hold)), size_(size), account_(std::move(account)) {}
  Result<void> open();
  Result<void> fill();

  /// Given back after everything else has gone.
  const BudgetHold hold_;
  const Bytes size_;
  /// The account of the segment. Its bytes are given back at the end.
  const std::shared_ptr<MemoryAccount> account_;
  platform::FileDescriptor descriptor_;
  std::byte* data_ = nullptr;
  platform::PinnedMemory pinned_;
  std::atomic<bool> taken_away_{false};
};

}  // namespace troupe::service
