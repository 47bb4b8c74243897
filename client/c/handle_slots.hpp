/// What the handles of C programs stand for. A handle is a number, not an address, so that one whose data are no more
/// is noticed whatever has become of their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "client/c/troupe.h"
#include "graph/codelets/handle.hpp"
#include "proto/mutex.hpp"

namespace troupe::c {

/// All handles of the process. Thread-safe.
class HandleSlots {
 public:
  /// What a handle stands for.
  struct Meaning {
    Handle handle;
    troupe_type type = 0;
    /// The number of its runtime.
    std::uint64_t runtime = 0;
  };

  static HandleSlots& get();

  troupe_handle add(const Meaning& meaning);
  /// Those of blocks go with the whole. Throws as `find` does, as the whole may have been freed meanwhile.
  void add_parts(troupe_handle whole, std::uint64_t runtime, const std::vector<Handle>& handles, troupe_handle* parts);
  /// Throws `invalid_handle` where it stands for nothing any more, or is another runtime's.
  [[nodiscard]] Meaning find(troupe_handle handle, std::uint64_t runtime);
  /// The same for several, under one lock.
  void find_all(const troupe_access* accesses, std::size_t count, std::uint64_t runtime, std::vector<Access>& found);
  /// With the handles of its blocks.
  void remove(troupe_handle handle) noexcept;
  /// All of a runtime.
  void remove_all(std::uint64_t runtime) noexcept;

 private:
  struct Slot {
    /// 0: free.
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
