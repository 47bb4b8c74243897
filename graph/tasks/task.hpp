/// The record of one task in the graph. Internal: programs hold a `Future`.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "proto/prefetch.hpp"
#include "troupe/arguments.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/units.hpp"

namespace troupe {
struct CodeletDefinition;
}

namespace troupe::graph {

struct DataRecord;
struct Domain;
struct Task;
class TaskGraph;

/// Lets a thread that is not a worker wait for one task.
class TaskWaiter;

/// An edge says: "The owner waits for the task whose list this edge is in." An edge lies in the memory of the waiting
/// task, or of the graph if a thread waits. It is linked once, read once by the completing worker, and then no longer
/// used. There is one exception: edges in the list of a nested task are read and linked again when the task's kernel
/// returns.
struct Edge {
  enum Kind : std::uintptr_t {
    /// The waiting task needs data that its predecessor uses.
    data = 0,
    /// An explicit dependency: the waiting task is cancelled if this predecessor does not succeed.
    explicit_dependency = 1,
    /// The owner is a `TaskWaiter`, not a task.
    waiter = 2,
  };

  /// The links are relaxed: the exchange that closes the list, or the submission lock, orders what was linked before.
  std::atomic<Edge*> next{nullptr};
  /// The waiting task or thread; written under the submission lock; the two lowest bits are the kind.
  std::uintptr_t owner = 0;

  void set(const void* object, Kind kind) { owner = reinterpret_cast<std::uintptr_t>(object) | kind; }
  [[nodiscard]] Edge* next_edge() const { return next.load(std::memory_order_relaxed); }
  void link(Edge* to) { next.store(to, std::memory_order_relaxed); }
  [[nodiscard]] Kind kind() const { return static_cast<Kind>(owner & 3U); }
  [[nodiscard]] Task* task() const { return reinterpret_cast<Task*>(owner & ~std::uintptr_t{3}); }
  [[nodiscard]] TaskWaiter* thread() const { return reinterpret_cast<TaskWaiter*>(owner & ~std::uintptr_t{3}); }
};

/// One handle of a task with its access mode, in eight bytes: records are aligned, so the mode fits into the lowest
/// bits of the pointer.
class TaskAccess {
 public:
  TaskAccess() = default;
  TaskAccess(DataRecord* data, AccessMode mode)
      : bits_(reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uintptr_t>(mode)) {}
  TaskAccess(const TaskAccess& other) : bits_(other.bits()) {}
  TaskAccess& operator=(const TaskAccess& other) {
    bits_.store(other.bits(), std::memory_order_relaxed);
    return *this;
  }

  [[nodiscard]] DataRecord* data() const { return reinterpret_cast<DataRecord*>(bits() & ~std::uintptr_t{7}); }
  [[nodiscard]] AccessMode mode() const { return static_cast<AccessMode>(bits() & 7U); }

 private:
  [[nodiscard]] std::uintptr_t bits() const { return bits_.load(std::memory_order_relaxed); }

  /// Atomic for `TaskGraph::inspect`, which reads the tasks of a recording while a run may exchange their data.
  std::atomic<std::uintptr_t> bits_{0};
};

struct RecordedTask;
struct RecordingRun;

/// The members that only few tasks need, in memory separate from `Task`.
struct TaskExtras {
  TaskExtras();
  ~TaskExtras();

  std::string name;
  std::function<void(const TaskOutcome&)> callback;
  /// False if the callback does not report a failure to the program (`TaskSpecification::callback_tells`).
  bool callback_tells = true;
  /// An object that the task keeps until it has ended (`TaskSpecification::kept`).
  std::shared_ptr<const void> kept;
  /// For a `host` task: the waiter of the thread that wants the data. Whoever exchanges it for null either signals it,
  /// because the task is ready, or gives up the wait, so that the task ends as soon as it is ready. Acquire and
  /// release: a thread that signals sees the waiter.
  std::atomic<TaskWaiter*> ready_waiter{nullptr};
  /// For a `replay` task: the run that it stands for.
  std::unique_ptr<RecordingRun> run;
  /// For a nested task: the domain of its children. The domain stays until the task's memory is used again.
  std::unique_ptr<Domain> domain;
  /// For a nested task of a recording: `recorded_weak` are its weak data, and `begun_as` is the id that it had in the
  /// last run in which it began. `begun_as` is guarded by the submission lock.
  std::vector<TaskAccess> recorded_weak;
  std::uint64_t begun_as = 0;
  /// For a `stand_in` task: the nested task of a recording that it stands for, which ends with it.
  RecordedTask* stands_for = nullptr;
  /// For a `host` task: the time at which the program got the data. Relaxed: it is only shown to people.
  std::atomic<TimeStamp::rep> held_since{0};
  /// For a `host` task that no thread waits for: owns the `ready_waiter`.
  std::unique_ptr<TaskWaiter> own_waiter;
  /// For a `host` task in mode write: the data without content that the program wants to write.
  std::vector<Handle> without_content;
  /// For a `host` task that stands for the end of a coroutine: the id of the task in whose kernel the coroutine was
  /// begun; 0 if it was begun elsewhere. That kernel may wait for the end, as the coroutine consists of its children.
  std::uint64_t begun_in = 0;
  /// True for a `host` task that stands for a discard (`TaskGraph::discard`): it ends as soon as it is ready.
  bool discards = false;
  /// The task's class among the learned times (`SubtreeTimes::class_of`); 0 if its time is not learned.
  std::uint64_t subtree = 0;
  /// The failure that the task's kernel caused without being able to throw it; null if there is none. Written under the
  /// submission lock by threads that are in the kernel, read by the thread that completes the task.
  std::shared_ptr<const Failure> accusation;
  /// The values of `TaskOptions::deadline` (the end of time if there is none) and `TaskOptions::stop`. Used only if the
  /// task was submitted with `Withdrawal::limited`.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  StopToken stop;
};

enum class TaskRole : std::uint8_t {
  /// The program submitted the task.
  user,
  /// The task combines the partial results of a reduction; it runs on a CPU core like any other task.
  combine,
  /// The task stands for a nested task of a recording in one of its runs (`begin_recorded_nested`).
  stand_in,
  /// The task belongs to a recording (`RecordedTask`).
  recorded,
  // The tasks above are run by workers.
  /// The task is a nested task of a recording: each run submits a task that stands for it.
  recorded_nested,
  /// The task stands for a thread that waits for data or holds data. The task never runs; the thread completes it.
  host,
  /// The task stands for one run of a recording. It starts the run's tasks when it becomes ready, and ends with the
  /// last of them.
  replay,
};

/// The reason, if any, why a task must not run, or need not go on.
enum class Withdrawal : std::uint8_t {
  none,
  /// The task has a deadline or a stop token (`TaskExtras`), which say when it is not wanted any more.
  limited,
  /// The program has cancelled the task. If the task has started, its kernel learns of the cancellation when it asks.
  by_program,
  /// A predecessor by explicit dependency did not succeed.
  by_predecessor,
  // From here on, the kernel has asked and learned that its task is not wanted. The task ends as cancelled when the
  // kernel returns. The values give the reason that the kernel was told.
  told_of_program,
  told_of_all,
  told_of_run,
  told_of_parent,
  told_of_stop,
  told_of_deadline,
};

/// Memory for edges that did not fit into the task.
struct EdgeBlock {
  static constexpr std::size_t kEdges = 7;
  EdgeBlock* next = nullptr;
  std::array<Edge, kEdges> edges;
};

/// One task, from submission to completion. Its memory comes from a `BlockPool` and is used again for other tasks. Code
/// that keeps a pointer therefore keeps the id, too, and compares it with the task's id under the graph's submission
/// lock, which every allocation of a task holds.
///
/// Life: *submitted* (`pending` > 0) -> *ready* (0: in exactly one deque, or parked at a commute lock) -> *started*
/// -> *ended* (`successors` closed) -> free.
struct alignas(64) Task {
  static constexpr std::size_t kInlineAccesses = 4;
  static constexpr std::size_t kInlineEdges = 4;
  /// Added to `pending` while the submitter still adds predecessors.
  static constexpr std::uint32_t kSubmitting = 1U << 30;

  // The first cache line has everything that a task without data and extras needs from submission to its end.

  /// The number of predecessors that have not ended, plus `kSubmitting` during the submission. The decrement to zero
  /// acquires what the other predecessors' decrements have released.
  std::atomic<std::uint32_t> pending{0};
  /// The reason, if any, why the task must not run. Read when the task is about to start.
  std::atomic<Withdrawal> withdrawn{Withdrawal::none};
  std::atomic<TaskStatus> status{TaskStatus::pending};
  TaskRole role = TaskRole::user;
  /// True if memory has to be freed when the task ends: accesses or edges that did not fit into the record, or extras.
  bool has_more = false;
  /// The edges to waiting tasks and threads, newest first; `closed()` once the task has ended. The closing exchange
  /// (`free_task`) releases the task's effects and acquires the edges.
  std::atomic<Edge*> successors{nullptr};
  /// The task's id, unique in its graph; changes when the memory is used for another task.
  std::atomic<std::uint64_t> id{0};

  const CodeletDefinition* codelet = nullptr;
  /// When the task has ended, `accesses` and `extras` are kept until the memory is used again, because threads may
  /// still read them.
  TaskAccess* accesses = nullptr;
  /// The next task in a commute lock's queue or in a list of tasks.
  Task* next = nullptr;
  std::int32_t priority = 0;
  std::uint32_t access_count = 0;
  /// `wants` is true if the task has data in mode commute, `holds` if it holds the commute locks of these data.
  struct Commute {
    bool wants = false;
    bool holds = false;
  };
  Commute commute;
  /// True if a worker has queued the task on its device before all predecessors, which run on the same device, have
  /// ended. Written by this worker, whose completions make the task ready. When other threads find the task ready, they
  /// see false.
  bool issued_ahead = false;
  std::uint8_t argument_count = 0;
  /// The value of `TaskOptions::numa_node`.
  NumaId numa_node;
  struct Nesting {
    /// True if the task belongs to a nested task (`domain`).
    bool is_child = false;
    /// True if a task that is no child becomes nested when its kernel submits a task.
    bool may_nest : 1 = false;
    /// True if the task may only run on cores, since the kernel of a nested task around it uses its data and waits.
    bool on_cores : 1 = false;
  };
  Nesting nesting;

  // The second cache line has everything else that a task with data needs.

  alignas(64) std::array<TaskAccess, kInlineAccesses> inline_accesses;
  std::unique_ptr<TaskExtras> extras;
  EdgeBlock* more_edges = nullptr;
  /// The record of the commute lock for which this task was woken (`CommuteLock::release`); null if it was not.
  DataRecord* woken_by = nullptr;
  std::array<std::uint8_t, Arguments::kMaxArguments> argument_offsets;

  alignas(64) std::array<Edge, kInlineEdges> inline_edges;

  /// The bytes that `argument_offsets` refer to, and a mark of each argument's type.
  struct StoredArguments {
    alignas(8) std::array<std::byte, Arguments::kMaxBytes> bytes;
    std::array<std::uint8_t, Arguments::kMaxArguments> marks;
  };
  StoredArguments stored_arguments;

  /// These members are set only in clients' graphs (`GraphOptions::shares_workers`) and for children.
  struct OfClient {
    union {
      TaskGraph* graph = nullptr;
      /// In other graphs, for a child: the time at which the parent's kernel submitted the task; zero without a trace.
      TimeStamp::rep submitted;
    };
    union {
      /// The value of `TaskSpecification::tag`.
      std::uint64_t tag = 0;
      /// For a child: the domain that the task belongs to.
      Domain* domain;
    };
  };
  OfClient client;

  Task() = default;
  ~Task() {
    if (accesses != inline_accesses.data()) delete[] accesses;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// Returns the domain to which this task belongs; null if it belongs to no nested task.
  [[nodiscard]] Domain* outer_domain() const { return nesting.is_child ? client.domain : nullptr; }
  /// Returns the client's graph that the task belongs to; null in graphs that share no workers.
  [[nodiscard]] TaskGraph* client_graph() const;
  /// Returns the value of `TaskSpecification::tag`; 0 if there is none.
  [[nodiscard]] std::uint64_t tag() const { return nesting.is_child ? 0 : client.tag; }
  /// Returns the task's own children; null if it is not nested.
  [[nodiscard]] Domain* own_domain() const { return extras ? extras->domain.get() : nullptr; }
  [[nodiscard]] TaskId task_id() const { return TaskId(id.load(std::memory_order_relaxed)); }
  [[nodiscard]] std::span<const TaskAccess> data() const { return {accesses, access_count}; }
  [[nodiscard]] ArgumentsView arguments() const {
    return {stored_arguments.bytes.data(), argument_offsets.data(), stored_arguments.marks.data(), argument_count};
  }
  [[nodiscard]] static Edge* closed() {
    static Edge mark;
    return &mark;
  }
  [[nodiscard]] bool ended() const { return successors.load(std::memory_order_acquire) == closed(); }
  /// Returns true if the task's time is learned (`SubtreeTimes`): the time of its kernel and of the tasks inside it.
  [[nodiscard]] bool learns_time() const { return has_more && extras && extras->subtree != 0; }
  /// Returns true if this is a `RecordedTask`.
  [[nodiscard]] bool is_recorded() const { return role == TaskRole::recorded || role == TaskRole::recorded_nested; }
  /// Returns true if the task's kernel has learned that the task is not wanted any more, see `Withdrawal`.
  [[nodiscard]] bool told() const { return withdrawn.load(std::memory_order_relaxed) >= Withdrawal::told_of_program; }
};

inline void prefetch_free_record(Task& task) {
  prefetch_to_write(&task);
  prefetch_to_write(&task.inline_edges);
}

/// Reverses a list of edges, and returns its new head.
inline Edge* reversed(Edge* edge) {
  // The line of a single edge is not written: it lies in another task's record.
  if (edge == nullptr || edge->next_edge() == nullptr) return edge;
  Edge* head = nullptr;
  while (edge != nullptr) {
    Edge* const next = edge->next_edge();
    edge->link(head);
    head = edge;
    edge = next;
  }
  return head;
}

/// Calls `visit(waiting task)` once for each edge to a task that waits for this task, newest first, at most `most`
/// times. Called by the thread that will complete the task: until then none of the waiting tasks can end. They may
/// still be in the middle of their submission, which `Task::pending` shows (`kSubmitting`). Not for tasks of
/// recordings.
template <class Visit>
void visit_waiting(const Task& task, std::size_t most, Visit visit) {
  // The acquire load pairs with the release that linked the edges.
  for (const Edge* edge = task.successors.load(std::memory_order_acquire); edge != nullptr && most > 0; --most) {
    if (edge->kind() != Edge::waiter) visit(*edge->task());
    edge = edge->next_edge();
  }
}

/// A pointer to a task that may have ended and been replaced since; valid to follow only while the submission lock
/// is held and `id` matches.
struct TaskReference {
  Task* task = nullptr;
  std::uint64_t id = 0;

  [[nodiscard]] bool ended() const { return task->id.load(std::memory_order_relaxed) != id || task->ended(); }
};

static_assert(sizeof(Task) == 256);

/// A list of tasks linked through `next`; each task is in one list at a time. Not thread-safe.
class TaskList {
 public:
  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Task* front() const { return head_; }
  [[nodiscard]] Task* back() const { return tail_; }
  void push_back(Task* task) {
    task->next = nullptr;
    if (head_ == nullptr) {
      head_ = task;
    } else {
      tail_->next = task;
    }
    tail_ = task;
    ++size_;
  }
  Task* pop_front() {
    Task* task = head_;
    head_ = task->next;
    if (head_ == nullptr) tail_ = nullptr;
    --size_;
    task->next = nullptr;
    return task;
  }
  /// Removes and returns the last task. O(size).
  Task* pop_back() {
    Task* task = tail_;
    if (head_ == task) return pop_front();
    tail_ = head_;
    while (tail_->next != task) tail_ = tail_->next;
    tail_->next = nullptr;
    --size_;
    return task;
  }
  void append(TaskList& other) {
    while (!other.empty()) push_back(other.pop_front());
  }

 private:
  Task* head_ = nullptr;
  Task* tail_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace troupe::graph
