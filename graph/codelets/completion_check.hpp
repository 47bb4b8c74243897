/// The calls by which a kernel that only enqueues tells its device what to check once its work has ended, and when the
/// work begins.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace troupe {

/// Called inside a kernel, after the work whose outcome is to be checked was enqueued: `check` is called when all work
/// that the kernel has enqueued has ended. An exception of it is the task's failure, as if the kernel had thrown it. On
/// a device whose kernels have done their work when they return, and outside of kernels, it is called at once.
///
/// A kernel that only enqueues, as those for CUDA do, has no other way to look at the outcome of its work, such as the
/// status of a factorization. `check` is called once, in the thread of the device's worker. On an OpenCL device it is
/// called in any thread, and must not wait for OpenCL there. It is dropped where the device is lost before.
void check_at_completion(std::function<void()> check);

namespace graph {

/// Called inside a kernel, before it enqueues its work: what it did so far also serves later kernels, such as making a
/// library's handle. The time of the task counts from here, where its device measures it on its stream.
void count_time_from_here();

/// The checks of one task on a device whose kernels only enqueue.
class CompletionChecks {
 public:
  /// `count_from_here` does the work of `count_time_from_here`. It must not throw.
  explicit CompletionChecks(std::function<void()> count_from_here = nullptr)
      : count_from_here_(std::move(count_from_here)) {}

  /// While one lives, `checks` keeps the checks that kernels of this thread ask for.
  class Scope {
   public:
    explicit Scope(CompletionChecks& checks);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CompletionChecks* outer_;
  };

  /// Calls the checks in the order in which they came, and forgets them. The first that throws is the last that is
  /// called.
  void run();
  void clear() { checks_.clear(); }

 private:
  friend void troupe::check_at_completion(std::function<void()> check);
  friend void count_time_from_here();

  std::function<void()> count_from_here_;
  std::vector<std::function<void()>> checks_;
};

}  // namespace graph

}  // namespace troupe
