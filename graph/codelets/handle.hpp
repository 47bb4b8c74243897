/// References to registered data and to submitted tasks, as programs hold them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/codelets/device_set.hpp"
#include "graph/codelets/layout.hpp"
#include "proto/access.hpp"
#include "proto/errors.hpp"
#include "proto/ids.hpp"

namespace troupe {

namespace graph {
struct DataRecord;
struct Task;
class TaskOwner;
}  // namespace graph

/// A reference to data that is registered with a runtime: cheap to copy, does not own. Using it after the data was
/// released is detected and reported as `invalid_handle`; it must not be used after its runtime was destroyed.
class Handle {
 public:
  Handle() = default;
  Handle(graph::DataRecord* record, HandleId id) : record_(record), id_(id) {}

  [[nodiscard]] HandleId id() const { return id_; }
  [[nodiscard]] graph::DataRecord* record() const { return record_; }
  friend bool operator==(const Handle& a, const Handle& b) { return a.id_ == b.id_; }

 private:
  graph::DataRecord* record_ = nullptr;
  HandleId id_;
};

/// One handle of a task, with its mode where the codelet does not declare one.
struct Access {
  Access(Handle handle) : handle(handle) {}  // NOLINT: a handle alone takes its mode from the codelet
  Access(Handle handle, AccessMode mode) : handle(handle), mode(mode) {}

  Handle handle;
  std::optional<AccessMode> mode;
};

inline Access read(Handle handle) { return {handle, AccessMode::read}; }
inline Access write(Handle handle) { return {handle, AccessMode::write}; }
inline Access read_write(Handle handle) { return {handle, AccessMode::read_write}; }
inline Access commute(Handle handle) { return {handle, AccessMode::commute}; }
inline Access reduce(Handle handle) { return {handle, AccessMode::reduce}; }

/// Data to use in one run of a recorded graph in place of those that were recorded.
struct Rebinding {
  Handle recorded;
  Handle now;
};

/// How the partial results of `reduce` accesses begin and come together. Both functions run on a CPU core;
/// `combine(into, from)` must be associative and commutative, `initialize` must write its neutral element.
struct ReductionMethods {
  std::function<void(const DataView& partial)> initialize;
  std::function<void(const DataView& into, const DataView& from)> combine;
  /// What a service knows the same methods by ("sum"); empty: it does not, and they work in the program only.
  std::string name = {};
};

/// The usual reduction: zero, and element-wise addition.
template <class T>
ReductionMethods sum_reduction() {
  return {[](const DataView& partial) {
            const auto x = partial.as_matrix<T>();
            for (std::int64_t j = 0; j < x.cols; ++j) {
              for (std::int64_t i = 0; i < x.rows; ++i) x(i, j) = T{};
            }
          },
          [](const DataView& into, const DataView& from) {
            const auto x = into.as_matrix<T>();
            const auto y = from.as_matrix<T>();
            for (std::int64_t j = 0; j < x.cols; ++j) {
              for (std::int64_t i = 0; i < x.rows; ++i) x(i, j) += y(i, j);
            }
          },
          "sum"};
}

/// How a task ended, or that it has not.
enum class TaskStatus : std::uint8_t { pending, succeeded, failed, cancelled };

[[nodiscard]] constexpr const char* to_string(TaskStatus status) {
  switch (status) {
    case TaskStatus::pending: return "pending";
    case TaskStatus::succeeded: return "succeeded";
    case TaskStatus::failed: return "failed";
    case TaskStatus::cancelled: return "cancelled";
  }
  return "unknown";
}

/// One submitted task: to wait for it, to depend on it, to cancel it. Cheap to copy, does not own, and costs the
/// runtime nothing while nobody asks. It must not be used after its runtime was destroyed.
class Future {
 public:
  Future() = default;
  Future(graph::TaskOwner* owner, graph::Task* task, TaskId id) : owner_(owner), task_(task), id_(id) {}

  [[nodiscard]] bool valid() const { return owner_ != nullptr; }
  [[nodiscard]] TaskId id() const { return id_; }
  /// Never blocks. A task that has just ended may still be reported as pending once.
  [[nodiscard]] TaskStatus status() const;
  [[nodiscard]] bool done() const { return status() != TaskStatus::pending; }
  /// Returns when the task has ended. Throws `Error`: `kernel_failed` or `cancelled` where it did not succeed,
  /// `wait_in_kernel` inside a kernel or callback.
  void wait() const;
  /// The task will not run unless it has been started already; tasks that read what it writes are cancelled with it.
  void cancel() const;

  [[nodiscard]] graph::TaskOwner* owner() const { return owner_; }
  /// Where its owner finds it; null where the owner needs no more than the id.
  [[nodiscard]] graph::Task* task() const { return task_; }

 private:
  graph::TaskOwner* owner_ = nullptr;
  graph::Task* task_ = nullptr;
  TaskId id_;
};

/// What a completion callback is told.
struct TaskOutcome {
  TaskId task;
  TaskStatus status = TaskStatus::succeeded;
  /// Why the task did not succeed, in words and as a code; none where it did.
  std::string message;
  std::optional<ErrorCode> code = {};
};

/// Everything about a task that most tasks leave at its default.
struct TaskOptions {
  /// All at their defaults: the same object every time, as making one costs more than some tasks.
  [[nodiscard]] static const TaskOptions& none();

  /// Ready tasks with a higher priority run first; any value is allowed.
  int priority = 0;
  /// A hint: where it is ready when it is submitted, a worker of this NUMA node gets it, unless others run out of work.
  /// For the first task on new data. Of no effect on machines with one NUMA node, with a shared queue, or under a
  /// placing policy.
  NumaId numa_node = {};
  /// Of the devices that the codelet has implementations for, those that may run the task. Where there is none of them
  /// in the runtime, submitting is an error: `no_implementation`, or `invalid_argument` where they are named and the
  /// runtime has no such worker. Runtimes keep a queue for each different set of workers: have few.
  DeviceSet devices = {};
  /// For people: appears in errors, traces and reports. Empty: the codelet's name.
  std::string name = {};
  /// Tasks that must have ended before, besides what the data say. If one did not succeed, this task is cancelled.
  std::vector<Future> after = {};
  /// Runs on the worker that ran the task, once it has ended, before anything that waits for it goes on.
  /// It may submit tasks; it must not wait. What it throws is reported by the next wait for everything.
  std::function<void(const TaskOutcome&)> callback = nullptr;
};

}  // namespace troupe
