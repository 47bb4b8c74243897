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

/// Anonymous shared memory, mapped into the service, with all of its pages allocated. Nobody can change its size, so
/// every address of the mapping stays valid. A client can remove pages from the memory. The system allocates such pages
/// again at their next use, and the accounts keep room for them (the allocation can still fail if vm.overcommit_memory
/// is 2). The memory has no path: a process without its descriptor cannot read it.
class SharedSegment {
 public:
  /// Makes a segment; rounds the size up to whole pages. Fails with `invalid_argument` for a size of 0 or more than an
  /// account allows, and with `out_of_memory`. `hold` is given back when the segment is destroyed. Tasks may keep the
  /// segment longer than the client lives.
  static Result<std::shared_ptr<SharedSegment>> create(Bytes size, std::shared_ptr<MemoryAccount> account,
                                                       BudgetHold hold = {});
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] Bytes size() const { return size_; }
  /// Returns the descriptor that is sent to the client; can be called once. The caller closes it soon, because
  /// descriptors are scarce.
  [[nodiscard]] platform::FileDescriptor take_descriptor() { return std::move(descriptor_); }
  /// Ends the client's right to the memory: when the last user in the service has released the memory, its pages go
  /// back to the system, even if the client keeps its mapping.
  void take_away() { taken_away_ = true; }

 private:
  SharedSegment(Bytes size, std::shared_ptr<MemoryAccount> account, BudgetHold hold)
      : hold_(std::move(hold)), size_(size), account_(std::move(account)) {}
  Result<void> open();
  Result<void> fill();

  /// The member is declared first, so that the budget is given back after all other members are destroyed.
  const BudgetHold hold_;
  const Bytes size_;
  /// The account from which the segment's bytes were taken. The destructor gives them back.
  const std::shared_ptr<MemoryAccount> account_;
  platform::FileDescriptor descriptor_;
  std::byte* data_ = nullptr;
  platform::PinnedMemory pinned_;
  std::atomic<bool> taken_away_{false};
};

}  // namespace troupe::service
