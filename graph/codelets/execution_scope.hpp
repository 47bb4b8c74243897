/// Tracks which kernel or callback the calling thread runs.
#pragma once

#include <utility>

#include "troupe/ids.hpp"

namespace troupe::graph {

class TaskOwner;
struct Task;

/// While an `ExecutionScope` lives, its thread runs a kernel or a callback of `owner`: ready tasks that the thread
/// submits go to the worker's own deque, submissions never block, and waiting is refused. Scopes nest, because a kernel
/// of one runtime may use another runtime.
class ExecutionScope {
 public:
  /// The data of a scope.
  class Place {
   public:
    constexpr Place(const TaskOwner* owner, WorkerId worker, const Task* task, const Place* outer)
        : owner_(owner), task_(task), outer_(outer), worker_(worker) {}

    /// Returns the worker to which the thread of the scope belongs; invalid in callbacks outside workers and in helper
    /// threads (`Joined`).
    [[nodiscard]] WorkerId worker() const { return worker_; }
    [[nodiscard]] const TaskOwner* owner() const { return owner_; }
    /// Returns the task whose kernel or callback runs; null if it is not known.
    [[nodiscard]] const Task* task() const { return task_; }

   private:
    friend class ExecutionScope;

    [[nodiscard]] static const Place* find(const Place* innermost, const TaskOwner* owner) {
      while (innermost != nullptr && innermost->owner_ != owner && !innermost->is_of_client(owner)) {
        innermost = innermost->outer_;
      }
      return innermost;
    }
    /// Returns true if the task belongs to a client whose graph is `owner`. Workers that several clients share set
    /// `owner_` to the graph of the service instead.
    [[nodiscard]] bool is_of_client(const TaskOwner* owner) const;

    const TaskOwner* owner_;
    const Task* task_;
    const Place* outer_;
    WorkerId worker_;
  };

  /// `task` is the task whose kernel or callback runs; null if it is not known.
  ExecutionScope(const TaskOwner* owner, WorkerId worker, const Task* task = nullptr)
      : place_(owner, worker, task, innermost_) {
    innermost_ = &place_;
  }
  ~ExecutionScope() { innermost_ = place_.outer_; }
  ExecutionScope(const ExecutionScope&) = delete;
  ExecutionScope& operator=(const ExecutionScope&) = delete;

  /// While a `Joined` lives, its thread helps another thread, whose innermost scope is `innermost`. The helping thread
  /// counts as inside the kernels of the other thread, but not as a worker's thread: tasks that it submits are queued
  /// like tasks of the program's own threads. The scopes of the other thread must live at least as long as the
  /// `Joined`.
  class Joined {
   public:
    explicit Joined(const Place* innermost) : outer_(std::exchange(joined_, innermost)) {}
    ~Joined() { joined_ = outer_; }
    Joined(const Joined&) = delete;
    Joined& operator=(const Joined&) = delete;

   private:
    const Place* outer_;
  };

  /// Returns the innermost scope of the calling thread; null if the thread is in no scope. Scopes of a thread that it
  /// helps do not count.
  [[nodiscard]] static const Place* innermost() { return innermost_; }
  /// Returns the calling thread's innermost scope of `owner`; null if there is none. If the thread helps a thread in
  /// such a scope, returns a scope without a worker.
  [[nodiscard]] static const Place* find(const TaskOwner* owner) {
    if (const Place* own = Place::find(innermost_, owner)) return own;
    static constexpr Place kNobodysThread{nullptr, WorkerId{}, nullptr, nullptr};
    return Place::find(joined_, owner) != nullptr ? &kNobodysThread : nullptr;
  }
  /// Returns the owner of the task whose kernel or callback the calling thread is in or helps with; null if there is
  /// none.
  [[nodiscard]] static const TaskOwner* owner_here();
  /// Returns the task of `owner` whose kernel or callback the calling thread is in or helps with; null if there is
  /// none.
  [[nodiscard]] static const Task* task_here(const TaskOwner* owner) {
    const Place* place = Place::find(innermost_, owner);
    if (place == nullptr) place = Place::find(joined_, owner);
    return place != nullptr ? place->task_ : nullptr;
  }

 private:
  Place place_;

  static thread_local constinit const Place* innermost_;
  static thread_local constinit const Place* joined_;
};

// Every submission and every kernel reads these two variables. With this TLS model they lie in memory that a thread has
// from its start, so no call is needed to find them, even if a running program loads the library. They take 16 bytes of
// the space that the system reserves for such variables.
[[gnu::tls_model(
    "initial-exec")]] inline thread_local constinit const ExecutionScope::Place* ExecutionScope::innermost_ = nullptr;
[[gnu::tls_model("initial-exec")]] inline thread_local constinit const ExecutionScope::Place* ExecutionScope::joined_ =
    nullptr;

}  // namespace troupe::graph
