/// Data of the program that lie in memory which the service shares, or have a copy there.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "client/remote/memory/shared_heap.hpp"
#include "graph/data/data_record.hpp"
#include "graph/data/data_registry.hpp"
#include "proto/errors.hpp"

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
  };
  /// To the program's memory, and from there. Nothing to do where there is no copy, or the program has taken its memory
  /// back. Thread-safe; tasks and other threads must not use the part meanwhile.
  void copy_out(const Part& part);
  void copy_in(const Part& part);
  /// The program's memory must not be touched any more.
  void take_back();

  /// The number of the newest task that may write the data, and up to which task what they have written has been copied
  /// out. Under the submission lock.
  std::uint64_t last_writer = 0;
  std::uint64_t copied_out = 0;

 private:
  SharedPlace() = default;

  SharedAddress address_;
  Layout layout_;
  std::shared_ptr<std::byte> copy_;
  std::mutex mutex_;
  DataView program_;  // mutex_
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
  /// All data that tasks up to this one may have written since they were copied out; they count as copied out now.
  [[nodiscard]] std::vector<std::shared_ptr<SharedPlace>> written(std::uint64_t task);

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
