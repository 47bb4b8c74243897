/// References to registered data and to submitted tasks, for programs.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "troupe/access.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/ids.hpp"
#include "troupe/layout.hpp"

namespace troupe {

namespace graph {
struct DataRecord;
struct Task;
class TaskOwner;
}  // namespace graph

/// A reference to data that is registered with a runtime: cheap to copy, and does not own the data. If a program uses
/// the handle after the data were released, it gets the error `invalid_handle`. The handle must not be used after its
/// runtime was destroyed.
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

/// The handle of a part of data whose elements have type `T`, which is const if tasks may only read the data. The type
/// lets a compiler check the parameters of inline kernels (inline_kernel.hpp); otherwise this is a `Handle`.
template <class T>
class Part : public Handle {
 public:
  using Element = T;

  Part() = default;
  explicit Part(const Handle& handle) : Handle(handle) {}
};

/// One handle of a task, and the mode in which the task uses it; without a mode, the mode that the codelet declares.
struct Access {
  Access(Handle handle) : handle(handle) {}  // NOLINT: a handle alone takes its mode from the codelet
  Access(Handle handle, AccessMode mode) : handle(handle), mode(mode) {}

  Handle handle;
  std::optional<AccessMode> mode;
};

/// An access for which the mode, and the type `D` of the data, are known at compile time. `D` converts to a handle.
template <AccessMode kMode, std::convertible_to<Handle> D>
struct AccessAs : Access {
  explicit AccessAs(const D& data) : Access(static_cast<Handle>(data), kMode) {}
};

template <std::convertible_to<Handle> D>
AccessAs<AccessMode::read, D> read(const D& data) {
  return AccessAs<AccessMode::read, D>(data);
}
template <std::convertible_to<Handle> D>
AccessAs<AccessMode::write, D> write(const D& data) {
  return AccessAs<AccessMode::write, D>(data);
}
template <std::convertible_to<Handle> D>
AccessAs<AccessMode::read_write, D> read_write(const D& data) {
  return AccessAs<AccessMode::read_write, D>(data);
}
template <std::convertible_to<Handle> D>
AccessAs<AccessMode::commute, D> commute(const D& data) {
  return AccessAs<AccessMode::commute, D>(data);
}
template <std::convertible_to<Handle> D>
AccessAs<AccessMode::reduce, D> reduce(const D& data) {
  return AccessAs<AccessMode::reduce, D>(data);
}

/// Data (`now`) that replace recorded data in one run of a recorded graph.
struct Rebinding {
  Handle recorded;
  Handle now;
};

/// The functions that begin and combine the partial results of `reduce` accesses. Both run on a CPU core;
/// `combine(into, from)` must be associative and commutative, and `initialize` must write the neutral element of
/// `combine`.
struct ReductionMethods {
  std::function<void(const DataView& partial)> initialize;
  std::function<void(const DataView& into, const DataView& from)> combine;
  /// The name by which a service knows the same methods, such as "sum". If it is empty, the methods work only in the
  /// program itself.
  std::string name = {};
  /// The type of the elements that the functions are made for (`type_tag`), and the size of one in bytes; 0 if they
  /// take elements of any type.
  std::uint64_t element_tag = 0;
  std::uint32_t element_size = 0;
};

/// Returns the usual reduction: zero, and element-wise addition. The data must have elements of type `T`.
template <class T>
ReductionMethods sum_reduction() {
  return {[](const DataView& partial) {
            const auto x = partial.as_volume<T>();
            for (std::int64_t k = 0; k < x.planes; ++k) {
              for (std::int64_t j = 0; j < x.cols; ++j) {
                for (std::int64_t i = 0; i < x.rows; ++i) x(i, j, k) = T{};
              }
            }
          },
          [](const DataView& into, const DataView& from) {
            const auto x = into.as_volume<T>();
            const auto y = from.as_volume<T>();
            for (std::int64_t k = 0; k < x.planes; ++k) {
              for (std::int64_t j = 0; j < x.cols; ++j) {
                for (std::int64_t i = 0; i < x.rows; ++i) x(i, j, k) += y(i, j, k);
              }
            }
          },
          "sum", type_tag<T>(), sizeof(T)};
}

/// The outcome of a task, or `pending` while it has not ended.
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

/// A submitted task. With a future, a program can wait for the task, make other tasks depend on it, or cancel it. A
/// future is cheap to copy, does not own the task, and costs the runtime nothing until it is used. It must not be used
/// after its runtime was destroyed.
class Future {
 public:
  Future() = default;
  Future(graph::TaskOwner* owner, graph::Task* task, TaskId id) : owner_(owner), task_(task), id_(id) {}

  [[nodiscard]] bool valid() const { return owner_ != nullptr; }
  [[nodiscard]] TaskId id() const { return id_; }
  /// Returns the status. Never blocks. A task that has just ended may still be reported as pending once.
  [[nodiscard]] TaskStatus status() const;
  [[nodiscard]] bool done() const { return status() != TaskStatus::pending; }
  /// Waits until the task has ended. Throws `Error`: `kernel_failed` or `cancelled` if the task did not succeed, and
  /// `wait_in_kernel` inside a kernel or callback. Only the kernel of a nested task may wait, for the task's children
  /// and for the tasks inside these children.
  void wait() const;
  /// Cancels the task if it has not started yet. If the task runs, its kernel can ask whether it should stop
  /// (`KernelContext::cancelled`), and return early; a kernel that does not ask goes on. Tasks that read what a
  /// cancelled task writes are cancelled, too.
  void cancel() const;

  [[nodiscard]] graph::TaskOwner* owner() const { return owner_; }
  /// Returns a pointer by which the owner finds the task; null if the owner finds it by the id alone.
  [[nodiscard]] graph::Task* task() const { return task_; }

 private:
  graph::TaskOwner* owner_ = nullptr;
  graph::Task* task_ = nullptr;
  TaskId id_;
};

/// The information that a completion callback gets.
struct TaskOutcome {
  TaskId task;
  TaskStatus status = TaskStatus::succeeded;
  /// The reason why the task did not succeed, in words and as a code. Both are empty if the task succeeded.
  std::string message;
  std::optional<ErrorCode> code = {};
};

/// A `std::stop_token`, or any other object that says by `stop_requested()`, which must be `noexcept`, whether somebody
/// has asked to stop. Copies refer to the same object. Any thread may ask.
class StopToken {
 public:
  /// Makes a token for which nobody ever asks to stop.
  StopToken() = default;
  template <class Token, class = decltype(static_cast<bool>(std::declval<const Token&>().stop_requested()))>
  StopToken(Token token) {  // Implicit, because callers have tokens of the standard library.
    static_assert(noexcept(std::declval<const Token&>().stop_requested()),
                  "stop_requested() of a stop token must be noexcept, because threads of the runtime call it");
    if constexpr (requires { token.stop_possible(); }) {
      if (!token.stop_possible()) return;
    }
    token_ = std::make_shared<const Token>(std::move(token));
    asks_ = [](const void* asked) -> bool { return static_cast<const Token*>(asked)->stop_requested(); };
  }

  /// Returns true if somebody has asked to stop.
  [[nodiscard]] bool stop_requested() const { return token_ != nullptr && asks_(token_.get()); }
  /// Returns false if nobody can ever ask to stop.
  [[nodiscard]] bool stop_possible() const { return token_ != nullptr; }

 private:
  std::shared_ptr<const void> token_;
  bool (*asks_)(const void* token) = nullptr;
};

/// The properties of a task that most tasks leave at their defaults.
struct TaskOptions {
  /// Returns the options with all defaults. The function always returns the same object, because making such an object
  /// takes longer than some tasks.
  [[nodiscard]] static const TaskOptions& none();

  /// Ready tasks with a higher priority run first; any value is allowed.
  int priority = 0;
  /// A hint: if the task is ready when it is submitted, it goes to a worker of this NUMA node, unless workers of other
  /// nodes run out of work. Meant for the first task on new data. Without effect on machines with one NUMA node, with a
  /// shared queue, or under a placing policy.
  NumaId numa_node = {};
  /// The devices that may run the task, among those that the codelet has implementations for. If the runtime has none
  /// of these devices, the submission fails: with `invalid_argument` if the set names a worker or a model that the
  /// runtime does not have, otherwise with `no_implementation`. Runtimes keep a queue for each different set of
  /// workers, so use few different sets.
  DeviceSet devices = {};
  /// The task's name for people, in errors, traces and reports. If it is empty, the codelet's name is used.
  std::string name = {};
  /// Tasks that must end before this task, in addition to the dependencies through data. If one of them does not
  /// succeed, this task is cancelled.
  std::vector<Future> after = {};
  /// Called once the task has ended, before threads and tasks that wait for the task continue, on the worker that ran
  /// the task (for a nested task: that ran the last child to end). The callback may submit tasks, but must not wait. If
  /// it throws, the next wait for all tasks reports the exception.
  std::function<void(const TaskOutcome&)> callback = nullptr;
  /// True for a *nested* task: the tasks that its kernel submits, its *children*, belong to it, and it ends when the
  /// last of them has ended. It fails if one of its children fails, even if its kernel has caught that failure. The
  /// kernel may wait for its children (`Runtime::wait`, `Future::wait`, `Runtime::acquire`). Children may use the data
  /// that the nested task declares (in a mode that the nested task's own mode allows), parts of these data, and data
  /// that the kernel registers; any other data are refused (`invalid_argument`). Children are ordered among themselves.
  /// Tasks that follow the nested task wait for the last children that use the same data; they need not wait for the
  /// other children.
  bool nested = false;
  /// Data that only the children of a nested task use, each with its mode: read, write or read_write. The kernel gets
  /// no view of them, and does not wait for them: each child starts when its own data are ready.
  std::vector<Access> weak = {};
  /// The time after which nobody wants the result: a task that has not begun by then is cancelled when its turn comes,
  /// and a running kernel can ask whether it should stop (`KernelContext::cancelled`). Deadlines do not change the
  /// order of tasks. Submissions fail with `invalid_argument` in recordings, on services, and where tasks do not run by
  /// this clock: in virtual time and with `ThreadOptions::deterministic`.
  std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt;
  /// The token of a `std::stop_source`, which many tasks may share: after `request_stop`, tasks that have not begun are
  /// cancelled when their turn comes, and running kernels can ask whether to stop. Submissions fail with
  /// `invalid_argument` in recordings and on services.
  StopToken stop = {};
};

}  // namespace troupe
