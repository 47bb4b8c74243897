/// Data of the program that lie in memory which the service shares, or have a copy there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "client/remote/memory/shared_heap.hpp"
#include "graph/data/data_record.hpp"
#include "graph/data/data_registry.hpp"
#include "proto/access.hpp"
#include "proto/errors.hpp"
#include "proto/mutex.hpp"

namespace troupe::remote {

/// Where the data of one registration lie in shared memory. If that is not where the program has them, the content is
/// copied: in when they are registered, and out when the program is to see what tasks have written.
class SharedPlace {
 public:
  /// Used in place where the program's memory is shared, else a copy is made. Fails with `invalid_argument` for data
  /// without memory, and as the heap does.
  static Result<std::shared_ptr<SharedPlace>> of(const graph::DataDescription& data, SharedHeap& heap);

  [[nodiscard]] const SharedAddress& address() const { return address_; }
  /// As the service sees it.
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Whether the program's memory is another.
  [[nodiscard]] bool is_copy() const { return copy_ != nullptr; }

  /// A part of the data: rows and columns from (row, col) on.
  struct Part {
    std::int64_t row = 0;
    std::int64_t col = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    friend bool operator==(const Part&, const Part&) = default;
  };
  [[nodiscard]] Part whole() const { return {0, 0, layout_.rows, layout_.cols}; }

  // What moves content between shared memory and the program's. Nothing to do where there is no copy, or the program
  // has taken its memory back. Thread-safe: whoever returns from copying, or finds that another thread has copied, sees
  // the content. `written`: the newest task that may have written the data when the caller asked for them; `task`:
  // tasks up to this one have ended, or wait until the caller is done.

  /// Tasks and other threads must not write the part meanwhile.
  void copy_out(const Part& part, std::uint64_t written, std::uint64_t task);
  /// The whole, but for what the program holds, which is there already, and may be newer than what tasks have written.
  void copy_out_rest(std::uint64_t task);
  /// The program holds a part, until `give_back` with the same values. Where it reads it, the content comes first.
  void hold(const Part& part, AccessMode mode, std::uint64_t written, std::uint64_t task);
  void give_back(const Part& part, AccessMode mode, std::uint64_t task);
  /// The program's memory must not be touched any more.
  void take_back();

  /// The number of the newest task that may write the data. Under the submission lock.
  std::uint64_t last_writer = 0;
  /// The program's memory has not all of it. Under the submission lock.
  [[nodiscard]] bool is_outdated() const {
    return is_copy() && last_writer > copied_out_.load(std::memory_order_acquire);
  }

 private:
  explicit SharedPlace(const DataView& program) : program_(program) {}
  void copy_free(const Part& part) TROUPE_REQUIRES(mutex_);
  void note_copied(const Part& part, std::uint64_t task) TROUPE_REQUIRES(mutex_);

  SharedAddress address_;
  Layout layout_;
  std::shared_ptr<std::byte> copy_;
  Mutex mutex_;
  DataView program_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Part> held_ TROUPE_GUARDED_BY(mutex_);
  /// What tasks up to this one have written has been copied out. Written with mutex_. Release: the content; acquire:
  /// who relies on it.
  std::atomic<std::uint64_t> copied_out_{0};
};

/// The places of all registrations. All members under the submission lock.
class SharedData {
 public:
  void add(const graph::DataRecord& record, std::shared_ptr<SharedPlace> place);
  void remove(const graph::DataRecord& record);
  /// Of the registration that the record belongs to.
  [[nodiscard]] std::shared_ptr<SharedPlace> place_of(const graph::DataRecord& record) const;
  /// Which part of the registration the record is.
  [[nodiscard]] static SharedPlace::Part part_of(const graph::DataRecord& record);

  /// A task with this number may write the data.
  void will_write(const graph::DataRecord& record, std::uint64_t task) {
    if (copies_ == 0) return;
    const auto found = places_.find(&root_of(record));
    if (found != places_.end()) found->second->last_writer = task;
  }
  /// Those that the program's memory has not all of.
  [[nodiscard]] std::vector<std::shared_ptr<SharedPlace>> outdated() const;

 private:
  [[nodiscard]] static const graph::DataRecord& root_of(const graph::DataRecord& record) {
    const graph::DataRecord* root = &record;
    while (root->parent != nullptr) root = root->parent;
    return *root;
  }

  std::unordered_map<const graph::DataRecord*, std::shared_ptr<SharedPlace>> places_;
  /// Of them.
  std::size_t copies_ = 0;
};

}  // namespace troupe::remote
