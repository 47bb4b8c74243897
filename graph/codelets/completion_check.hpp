/// What a kernel that only enqueues tells its device: what to check once its work has ended, and when that begins.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace troupe {

/// Inside a kernel, after the work whose outcome is to be checked was begun: `check` is called when all that the kernel
/// has begun has ended. What it throws is the task's failure, as if the kernel had thrown it. On a device whose kernels
/// have done their work when they return, and outside of kernels, it is called at once.
///
/// A kernel that only enqueues, as those for CUDA do, has no other way to look at what its work says: the status of a
/// factorization, for one. `check` is called once, in the thread of the device's worker; on an OpenCL device in any,
/// and must not wait for OpenCL there. It is dropped where the device is lost before.
void check_at_completion(std::function<void()> check);

namespace graph {

/// Inside a kernel, before it enqueues its work: what it did so far was done for later kernels as well, as making a
/// library's handle. The time that it takes counts from here, where its device measures it on its stream.
void count_time_from_here();

/// The checks of one task, of a device whose kernels only enqueue.
class CompletionChecks {
 public:
  /// `count_from_here`: what `count_time_from_here` does. It must not throw.
  explicit CompletionChecks(std::function<void()> count_from_here = nullptr)
      : count_from_here_(std::move(count_from_here)) {}

  /// While one lives, what kernels of this thread want checked is kept in `checks`.
  class Scope {
   public:
    explicit Scope(CompletionChecks& checks);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CompletionChecks* outer_;
  };

  /// Calls them in the order in which they came, and forgets them. The first that throws is the last that is called.
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
