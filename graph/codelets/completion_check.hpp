/// Checks of kernels that only enqueue their work on a device: see `check_at_completion`.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "troupe/kernel_context.hpp"

namespace troupe {

namespace graph {

/// A kernel calls this function before it enqueues its work, if the kernel has done work that later kernels need, too,
/// such as making a library's handle. If the device measures times on its stream, the task's time begins with this
/// call.
void count_time_from_here();

/// The checks of one task on a device whose kernels only enqueue their work.
class CompletionChecks {
 public:
  /// The function `count_time_from_here` calls `count_from_here`, which must not throw; may be null.
  explicit CompletionChecks(std::function<void()> count_from_here = nullptr)
      : count_from_here_(std::move(count_from_here)) {}

  /// While a `Scope` lives, `checks` keeps the checks that kernels of this thread pass to `check_at_completion`.
  class Scope {
   public:
    explicit Scope(CompletionChecks& checks);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CompletionChecks* outer_;
  };

  /// Calls the checks in the order in which they were added, and forgets them. If a check throws, the later checks are
  /// not called.
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
