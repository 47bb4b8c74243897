/// The handles of one graph.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "graph/data/data_record.hpp"
#include "graph/data/registered_memory.hpp"
#include "troupe/data.hpp"
#include "troupe/errors.hpp"

namespace troupe::graph {

/// Makes, finds and frees records. Records are never moved; a freed record is used again under a new id. All members
/// require the graph's submission lock.
class DataRegistry {
 public:
  /// `ids` is a counter that is shared with other registries, so that all their handles differ; if null, this registry
  /// has a counter of its own.
  explicit DataRegistry(const TaskOwner* owner, std::atomic<std::uint64_t>* ids = nullptr)
      : owner_(owner), next_id_(ids != nullptr ? ids : &own_ids_) {}
  DataRegistry(const DataRegistry&) = delete;
  DataRegistry& operator=(const DataRegistry&) = delete;

  DataRecord& add(DataDescription description);
  /// Adds data like `add`, but fails with `overlapping_handles` if they share memory with data that this function added
  /// before: the graph would not order tasks on the two handles. The function misses overlaps that would be expensive
  /// to find (`RegisteredMemory`).
  Result<DataRecord*> add_apart(DataDescription description);
  /// Adds one record per block, in order, below `parent`. The blocks must lie inside the parent, and must not overlap
  /// each other or earlier parts: otherwise the call fails with `overlapping_handles`. If one block does not fit, none
  /// is added.
  Result<std::vector<DataRecord*>> add_parts(DataRecord& parent, std::span<const Block> blocks);
  /// Fails with `invalid_argument` if the rim is negative.
  static Result<void> check_rim(const Rim& rim);
  /// Returns, for each block of `record`, the records that have data of their own in the block. All blocks must lie
  /// inside `record`.
  [[nodiscard]] static std::vector<std::vector<DataRecord*>> find_overlapped(DataRecord& record,
                                                                             std::span<const Block> blocks);
  /// Checks whether `add_parts` could add these blocks to the parts `present`. Returns the failure; otherwise returns
  /// true if the new and the present parts together cover all elements.
  static Result<bool> check_parts(const DataRecord& parent, std::span<const Block> blocks,
                                  std::span<DataRecord* const> present);
  /// New parts, the records that each of them overlaps, and the parts that they replace.
  struct NewParts {
    std::vector<DataRecord*> added;
    std::vector<std::vector<DataRecord*>> overlapped;
    std::vector<DataRecord*> former;
    /// The former parts that have elements in no new part. These elements are the parent's own now.
    std::vector<DataRecord*> returned;
    /// True if elements that were the parent's own still are.
    bool keeps_rest = false;
  };
  /// Replaces all parts of `parent` by new parts, for which `check_parts` must not fail. The replaced parts leave the
  /// tree, and become former parts. A new part counts as unwritten, or as discarded, if a record that it overlaps does,
  /// and so does the parent with the elements that are in no part.
  NewParts replace_parts(DataRecord& parent, std::span<const Block> blocks);
  /// Called when the elements of a part become its parent's own: the parent counts as unwritten, or as discarded, if
  /// the part does.
  void return_marks(const DataRecord& part);
  /// Makes former parts of `parent` its parts again. Does nothing and returns false if they overlap its present parts.
  bool restore_parts(DataRecord& parent, std::span<DataRecord* const> former);
  /// Adds one halo part of `parent` per block, in order: the block with its rim, without elements outside the parent.
  /// The blocks must lie inside the parent; otherwise the call fails with `overlapping_handles`, and no halo part is
  /// added. Also fails if `check_rim` does.
  Result<std::vector<DataRecord*>> add_halos(DataRecord& parent, std::span<const Block> blocks, const Rim& rim);
  /// Frees the record and all records below it. Their reductions stay for `take_removed`.
  void remove(DataRecord& record);
  /// Keeps a reduction for `take_removed`. A null pointer is allowed.
  void keep_removed(std::unique_ptr<Reduction> reduction) { removed_.add(std::move(reduction)); }
  /// Moves the reductions of removed data to the caller.
  void take_removed(RemovedReductions& to) { to.take(removed_); }
  /// Allows later registrations to use the memory of this whole, although its record still exists.
  void give_up_memory(const DataRecord& whole) { memory_.remove(whole); }

  /// Returns true if some data have no content, or must not be written. If false, no access needs `check_usable`.
  [[nodiscard]] bool any_to_check() const { return to_check_ != 0; }
  /// Returns a piece of data of this record that has no content, or null.
  [[nodiscard]] static const DataRecord* find_unwritten(const DataRecord& record);
  /// Marks the record, and every record below it, as written.
  void note_written(DataRecord& record);
  /// `set_unwritten` and `set_discarded` change the flag of this record alone, not of the records below it. Setting
  /// `unwritten` to false also sets `discarded` to false.
  void set_unwritten(DataRecord& record, bool unwritten);
  void set_discarded(DataRecord& record, bool discarded);
  /// Returns true if the program has discarded all data of the record, and nothing has written any of them since.
  [[nodiscard]] static bool is_discarded(const DataRecord& record);
  /// Marks all data of the record as discarded. Data without memory can still be read.
  void note_discarded(DataRecord& record);

  /// Returns the record behind a handle, or fails with `invalid_handle`. If `domain` is not null, also finds data that
  /// the parent of the domain declares and whose release has begun: the release waits for the parent, so children may
  /// still use the data.
  [[nodiscard]] Result<DataRecord*> find(const Handle& handle, const Domain* domain = nullptr) const;
  /// Returns true if the handle's record has not been removed. Its release may be in progress, or it may be a former
  /// part.
  [[nodiscard]] static bool exists(const Handle& handle) { return handle.record()->handle_id() == handle.id(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Returns a lower bound of the ids that later data will have. May be called without the lock.
  [[nodiscard]] std::uint64_t next_id() const { return next_id_->load(std::memory_order_relaxed); }
  /// Calls `visit(record)` for every handle that is not part of another handle.
  template <class Visit>
  void visit_wholes(const Visit& visit) {
    for (DataRecord& record : records_) {
      if (record.handle_id().valid() && record.parent == nullptr && !record.releasing()) visit(record);
    }
  }

 private:
  DataRecord& allocate();
  /// Makes a record for a block inside of the parent, without adding it to the parent.
  DataRecord& add_block(DataRecord& parent, const Block& block);
  /// Takes the parts out of the tree: they become former parts.
  static std::vector<DataRecord*> detach_parts(DataRecord& parent);
  /// Finds the `returned` of `parts`, whose marks go to the parent.
  void find_returned(DataRecord& parent, NewParts& parts);
  void set_read_only(DataRecord& record, bool read_only);

  const TaskOwner* owner_;
  std::deque<DataRecord> records_;
  DataRecord* free_ = nullptr;
  RemovedReductions removed_;
  RegisteredMemory memory_;
  std::atomic<std::uint64_t> own_ids_{0};
  std::atomic<std::uint64_t>* next_id_;
  std::size_t size_ = 0;
  /// The number of flags `unwritten`, `discarded` and `read_only` that are true, in all records together.
  std::size_t to_check_ = 0;
};

/// Returns the handles of these records.
[[nodiscard]] std::vector<Handle> handles_of(std::span<DataRecord* const> records);

/// Returns a text such as "'A(1,2)'" or "handle 17".
[[nodiscard]] std::string describe(const DataRecord& record);
/// Returns a text such as "task 12 'gemm(3,1)' (codelet gemm)".
[[nodiscard]] std::string describe(const Task& task);

}  // namespace troupe::graph
