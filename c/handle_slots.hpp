/// The meaning of the handles of C programs. A handle is a number, not an address. A handle whose data have been
/// removed is therefore detected without an access to their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "proto/mutex.hpp"
#include "troupe/handle.hpp"
#include "troupe/troupe.h"

namespace troupe::c {

/// All handles of the process. Thread-safe.
class HandleSlots {
 public:
  /// The data that a handle stands for.
  struct Meaning {
    Handle handle;
    troupe_type type = 0;
    /// The number of the runtime that the data belong to.
    std::uint64_t runtime = 0;
  };

  static HandleSlots& get();

  troupe_handle add(const Meaning& meaning);
  /// Adds handles for the blocks of `whole`; `remove(whole)` removes them, too. Throws as `find` does if another thread
  /// has removed `whole` meanwhile.
  void add_parts(troupe_handle whole, std::uint64_t runtime, const std::vector<Handle>& handles, troupe_handle* parts);
  /// Throws `invalid_handle` if the handle has been removed or belongs to another runtime.
  [[nodiscard]] Meaning find(troupe_handle handle, std::uint64_t runtime);
  /// Does what `find` does for several handles, under one lock.
  void find_all(const troupe_access* accesses, std::size_t count, std::uint64_t runtime, std::vector<Access>& found);
  /// Removes the handle and the handles of its blocks.
  void remove(troupe_handle handle) noexcept;
  /// Removes all handles of a runtime.
  void remove_all(std::uint64_t runtime) noexcept;

 private:
  struct Slot {
    /// The id of the handle in this slot; 0 if the slot is free.
    std::uint64_t id = 0;
    Meaning meaning;
    std::vector<troupe_handle> parts;
  };

  troupe_handle add_locked(const Meaning& meaning) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] const Meaning& find_locked(troupe_handle handle, std::uint64_t runtime) TROUPE_REQUIRES(mutex_);
  void remove_locked(troupe_handle handle) noexcept TROUPE_REQUIRES(mutex_);

  Mutex mutex_;
  std::deque<Slot> slots_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> free_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t next_id_ TROUPE_GUARDED_BY(mutex_) = 1;
};

}  // namespace troupe::c
