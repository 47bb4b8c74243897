/// The graph's record of one handle's data. Internal: programs hold a `Handle`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/data/commute_lock.hpp"
#include "graph/data/reduction.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/data.hpp"

namespace troupe::graph {

/// The kind of access with which the newest tasks modify a record.
enum class EpochKind : std::uint8_t { write, commute, reduce };

/// Dependency state of one piece of data, in the order in which tasks were submitted. An *epoch* is one writing task,
/// or a group of tasks that commute or reduce; readers of the epoch's result follow, then the next epoch begins.
/// Guarded by the graph's submission lock.
struct DependencyState {
  EpochKind kind = EpochKind::write;
  /// True for a reduction whose combining task has not been submitted yet.
  bool open_reduction = false;
  /// The tasks of the epoch.
  std::vector<TaskReference> writers;
  /// The tasks that read the result of the epoch.
  std::vector<TaskReference> readers;
  /// The tasks for which each further member of a commuting or reducing epoch must wait.
  std::vector<TaskReference> before;
};

/// One registered piece of data or a part of one. Sub-handles form a tree; parts of one parent do not overlap. A task
/// that uses a handle uses its record and all records below it, so that tasks on a whole and on its parts are ordered.
///
/// A *halo part* is a block that tasks only read, and that may overlap the parts of its parent and other halo parts. A
/// halo part is not part of the tree, and has no data and no dependency state of its own: a task that uses a halo part
/// uses the records that the halo part overlaps.
///
/// `view`, `parent` and `name` are constant from registration to release.
struct alignas(64) DataRecord {
  /// The graph that owns the record, which stays the same as long as the record's memory exists.
  const TaskOwner* owner = nullptr;
  /// The handle's id, unique in its graph; invalid while the record is free.
  std::atomic<std::uint64_t> id{HandleId{}.value()};
  /// The data in host memory, which belongs to the program or to `owned`.
  DataView view;
  /// True if a task that modified this data did not succeed, and nothing has overwritten it since. Dependencies order
  /// the tasks that write the flag, unless all of them write true; later tasks read it.
  std::atomic<bool> poisoned{false};
  /// True if the record's memory is freed while tasks still use it; none of these tasks may begin. Written once, under
  /// the submission lock. Relaxed loads suffice: `FailureLog::any_poison` is set after this flag, and each thread loads
  /// `any_poison` with acquire order before it loads this flag.
  std::atomic<bool> abandoned{false};
  struct Content {
    /// True if the data have no content: since the runtime allocated the memory, or the program discarded the content,
    /// no task that writes the data has been submitted, and the program has not acquired the data for writing. Guarded
    /// by the submission lock; changed by the registry alone, which counts the records without content.
    bool unwritten = false;
    /// True if the program has discarded the content, and no task that writes the data has been submitted since.
    /// `unwritten` is then true, too, except for data without memory. Guarded and changed like `unwritten`.
    bool discarded = false;
    /// True if the program registered the data as const, see `DataDescription`.
    bool read_only = false;
  };
  Content content;
  CommuteLock commute;
  std::unique_ptr<Reduction> reduction;

  DependencyState dependencies;
  /// The nested task whose children use the state `dependencies`; the id is 0 if the tasks of the program use it.
  /// Guarded by the submission lock.
  TaskReference home;
  struct Made {
    /// The nested task whose kernel has made this part; the id is 0 if the program has made it. Guarded by the
    /// submission lock.
    TaskReference in;
    /// Tasks on this part, or on halo parts of it, which the nested task that has made the part does not contain. Only
    /// a part that a kernel has made has this list. Guarded by the submission lock.
    std::vector<TaskReference> named_by;
  };
  Made made;
  struct Seen {
    std::uint64_t by = 0;
    AccessMode mode = AccessMode::read;
  };
  /// The mark of the last submission that named this record, and the access mode. They serve to find conflicts inside
  /// one task. Guarded by the submission lock.
  Seen seen;

  /// The number of releases, and of divisions of its whole, that wait for the last use of the handle. Meanwhile new
  /// tasks on the handle are refused. Guarded by the submission lock.
  std::uint32_t refusals = 0;
  DataRecord* parent = nullptr;
  /// The parts; for a halo part, the records with data of their own that the halo part overlaps. The list changes under
  /// the submission lock, and only while no task uses it: `TaskGraph::partition` waits for the tasks, and
  /// `may_replace` says when no wait is needed.
  std::vector<DataRecord*> children;
  /// The halo parts of this record. Guarded by the submission lock.
  std::vector<DataRecord*> halos;
  /// The parts that `TaskGraph::repartition` has replaced and that tasks still use. They are not part of the tree, and
  /// no further task can use them. Guarded by the submission lock.
  std::vector<DataRecord*> former;
  bool is_former = false;
  bool is_halo = false;
  /// True if the children cover all elements, so that this record has no data of its own. True for halo parts.
  bool covered = false;
  /// The block of this record in its parent.
  Block place;

  /// True if the program accesses the data only while it holds them (`DataDescription`).
  bool hidden = false;
  /// Keeps the memory alive if the runtime owns it; null if the program owns it.
  std::shared_ptr<void> owned;
  std::string name;
  /// The next record in the graph's free list.
  DataRecord* next = nullptr;

  /// Returns the record at the root of the tree: the undivided data that contain this record.
  [[nodiscard]] const DataRecord& whole() const {
    const DataRecord* record = this;
    while (record->parent != nullptr) record = record->parent;
    return *record;
  }
  [[nodiscard]] DataRecord& whole() { return const_cast<DataRecord&>(std::as_const(*this).whole()); }
  /// Returns true if `other` is this record, or lies below this record in the tree of parts.
  [[nodiscard]] bool contains(const DataRecord& other) const {
    const DataRecord* one = &other;
    while (one != nullptr && one != this) one = one->parent;
    return one != nullptr;
  }
  [[nodiscard]] bool releasing() const { return refusals > 0; }
  /// Refuses tasks on this record alone, or takes one refusal back.
  void refuse(bool refused) {
    if (refused) {
      ++refusals;
    } else if (refusals > 0) {
      --refusals;
    }
  }
  [[nodiscard]] HandleId handle_id() const { return HandleId(id.load(std::memory_order_relaxed)); }
  /// Marks this record and all below it as used by submission `id`. Returns false if this submission has used one of
  /// these records before, and one of the two modes writes. Called under the submission lock. Halo parts conflict with
  /// nothing: a task may read a halo part and write parts that the halo part overlaps.
  bool mark(std::uint64_t submission, AccessMode mode) {
    if (is_halo) return true;
    bool compatible = true;
    visit_tree([&](DataRecord& part) {
      if (part.seen.by == submission && (writes(mode) || writes(part.seen.mode))) compatible = false;
      part.seen.by = submission;
      part.seen.mode = mode;
    });
    return compatible;
  }
  /// Calls `visit(record)` for the records that a task on this record uses: this record and all below it, parents
  /// first; for a halo part, the records that it overlaps. The thread safety analysis is off because `visit` may
  /// require a lock of the caller that cannot be named here.
  template <class Visit>
  void visit_tree(const Visit& visit) TROUPE_NO_THREAD_SAFETY_ANALYSIS {
    if (is_halo) [[unlikely]] {
      for (DataRecord* overlapped : children) visit(*overlapped);
      return;
    }
    visit(*this);
    for (DataRecord* child : children) child->visit_tree(visit);
  }
  template <class Visit>
  void visit_tree(const Visit& visit) const {
    if (is_halo) [[unlikely]] {
      for (const DataRecord* overlapped : children) visit(*overlapped);
      return;
    }
    visit(*this);
    for (const DataRecord* child : children) child->visit_tree(visit);
  }
  /// Calls `visit(record)` for the records that are freed together with this record: this record, the records below it,
  /// and the halo parts of all these records. Called under the submission lock.
  template <class Visit>
  void visit_family(const Visit& visit) {
    visit(*this);
    for (DataRecord* halo : halos) visit(*halo);
    if (is_halo) return;
    for (DataRecord* child : children) child->visit_family(visit);
  }
  /// Calls `visit(record)` for the records of the tree that have data of their own.
  template <class Visit>
  void visit_data(const Visit& visit) {
    visit_tree([&](DataRecord& record) TROUPE_NO_THREAD_SAFETY_ANALYSIS {
      if (!record.covered) visit(record);
    });
  }
};

}  // namespace troupe::graph
