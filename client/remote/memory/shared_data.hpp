/// Data of the program in the memory that the service shares with the program: the data themselves, or a copy of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "client/remote/memory/shared_heap.hpp"
#include "graph/data/blocks.hpp"
#include "graph/data/data_record.hpp"
#include "graph/data/data_registry.hpp"
#include "proto/mutex.hpp"
#include "troupe/access.hpp"
#include "troupe/errors.hpp"

namespace troupe::remote {

/// The place of registered data in shared memory. If the program's memory is not shared, this place has a copy of the
/// data. The content is copied to this place at registration, and back before the program reads what tasks have
/// written.
class SharedPlace {
 public:
  /// Makes the place: the program's memory itself if that is shared memory, else a copy. Fails with `invalid_argument`
  /// for data without memory, and as `SharedHeap::allocate` does.
  static Result<std::shared_ptr<SharedPlace>> of(const graph::DataDescription& data, SharedHeap& heap);

  [[nodiscard]] const SharedAddress& address() const { return address_; }
  /// The layout as the service sees it.
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Returns true if the program's memory is separate from the shared memory.
  [[nodiscard]] bool is_copy() const { return copy_ != nullptr; }

  /// Returns the block that has all data.
  [[nodiscard]] Block whole() const { return graph::whole_block(layout_); }

  // The functions below move content between shared and program memory. They do nothing if there is no copy, or after
  // `take_back`. They are thread-safe: when a call returns, the calling thread sees the content, even if another thread
  // has copied it. `written` is the number of the newest task that may have written the data when the caller requested
  // them. Tasks up to number `task` have ended, or wait until the caller gives the data back.

  /// Copies a part, a block of the data, to the program's memory. Tasks and other threads must not write the part
  /// during the call.
  void copy_out(const Block& part, std::uint64_t written, std::uint64_t task);
  /// Copies all data to the program's memory, except for the parts that the program has acquired: there the program's
  /// content may be newer than what tasks have written.
  void copy_out_rest(std::uint64_t task);
  /// Notes that the program has acquired a part, until `give_back` is called with the same values. If `mode` reads, the
  /// content is first copied to the program's memory.
  void hold(const Block& part, AccessMode mode, std::uint64_t written, std::uint64_t task);
  void give_back(const Block& part, AccessMode mode, std::uint64_t task);
  /// After this call the program's memory is not accessed any more, because the program may free it.
  void take_back();

  /// The number of the newest task that may write the data. Requires the submission lock.
  std::uint64_t last_writer = 0;
  /// Returns true if the program's memory does not have the newest content. Requires the submission lock.
  [[nodiscard]] bool is_outdated() const {
    return is_copy() && last_writer > copied_out_.load(std::memory_order_acquire);
  }

 private:
  explicit SharedPlace(const DataView& program) : program_(program) {}
  void copy_free(const Block& part) TROUPE_REQUIRES(mutex_);
  void note_copied(const Block& part, std::uint64_t task) TROUPE_REQUIRES(mutex_);

  SharedAddress address_;
  Layout layout_;
  std::shared_ptr<std::byte> copy_;
  Mutex mutex_;
  DataView program_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Block> held_ TROUPE_GUARDED_BY(mutex_);
  /// Everything that tasks up to this number have written has been copied to the program's memory. Written under
  /// mutex_. The release store publishes the copied content to the acquire loads of threads that use it.
  std::atomic<std::uint64_t> copied_out_{0};
};

/// The places of all registrations. All members require the submission lock.
class SharedData {
 public:
  void add(const graph::DataRecord& record, std::shared_ptr<SharedPlace> place);
  void remove(const graph::DataRecord& record);
  /// Returns the place of the registration that the record belongs to.
  [[nodiscard]] std::shared_ptr<SharedPlace> place_of(const graph::DataRecord& record) const;
  /// Returns the block of the registered data that the record describes.
  [[nodiscard]] static Block part_of(const graph::DataRecord& record);

  /// Notes that a task with this number may write the data.
  void will_write(const graph::DataRecord& record, std::uint64_t task) {
    if (copies_ == 0) return;
    const auto found = places_.find(&record.whole());
    if (found != places_.end()) found->second->last_writer = task;
  }
  /// Returns the places whose newest content has not been copied to the program's memory.
  [[nodiscard]] std::vector<std::shared_ptr<SharedPlace>> outdated() const;

 private:
  std::unordered_map<const graph::DataRecord*, std::shared_ptr<SharedPlace>> places_;
  /// The number of places that are copies.
  std::size_t copies_ = 0;
};

}  // namespace troupe::remote
