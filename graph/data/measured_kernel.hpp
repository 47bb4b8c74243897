/// A running kernel whose task's time is learned, including the times of the tasks that it submits.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "graph/data/subtree_times.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/handle.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

/// A kernel that was called at once, in place of a task.
struct CalledKernel {
  const CodeletDefinition& codelet;
  std::span<const Access> accesses;
  /// The name of the task, which may be empty.
  const std::string& name;
  /// Data with this id or a higher id were registered after the call began.
  std::uint64_t first_handle = 0;
  const CalledKernel* caller = nullptr;
};

/// While a `MeasuredKernel` lives, its thread runs the kernel of a task with `TaskExtras::subtree`. A task is *small*
/// if the learned time of its class (`SubtreeTimes`), which includes the tasks inside the task, is at most the cut-off.
/// The kernel of a small task calls other kernels at once instead of submitting them (`call_at_once`).
///
/// The time of a task is the time of its kernel, plus the known times of the tasks that the kernel has submitted. So
/// times are learned from the smallest tasks upwards.
class MeasuredKernel {
 public:
  /// `may_call` is false if the kernel must submit other kernels instead of calling them. `times` outlives this object.
  MeasuredKernel(SubtreeTimes& times, const Task& task, Duration cutoff, bool may_call);
  ~MeasuredKernel() { innermost_ = outer_; }
  MeasuredKernel(const MeasuredKernel&) = delete;
  MeasuredKernel& operator=(const MeasuredKernel&) = delete;

  /// Returns the kernel of this task if the calling thread runs it under a `MeasuredKernel`; else null.
  [[nodiscard]] static MeasuredKernel* of(const Task* task) {
    MeasuredKernel* const here = innermost_;
    return here != nullptr && here->task_ == task ? here : nullptr;
  }
  [[nodiscard]] bool small() const { return small_; }
  /// Returns the innermost kernel that was called at once; null in the task's own kernel.
  [[nodiscard]] const CalledKernel* called() const { return called_; }
  void set_called(const CalledKernel* called) { called_ = called; }
  /// From now on, each submission of the kernel becomes a task.
  void stop_calling() { small_ = false; }
  /// Notes that the kernel has submitted a task of class `of`; 0 stands for a task whose time cannot be known.
  void submitted(std::uint64_t of);
  /// Called when the kernel has returned; `waited` is the time in which it waited for other tasks.
  void returned(Duration waited);

 private:
  /// A small task is a surprise if it takes more than this number of times the cut-off.
  static constexpr int kSurprise = 8;

  SubtreeTimes& times_;
  const Task* const task_;
  const std::uint64_t of_;
  const Duration cutoff_;
  bool small_ = false;
  const CalledKernel* called_ = nullptr;
  /// True if the kernel has submitted a task whose time is not known.
  bool unknown_ = false;
  /// The known times of the tasks that the kernel has submitted.
  Duration submitted_{};
  const std::chrono::steady_clock::time_point begin_;
  MeasuredKernel* const outer_;

  static thread_local constinit MeasuredKernel* innermost_;
};

inline thread_local constinit MeasuredKernel* MeasuredKernel::innermost_ = nullptr;

}  // namespace troupe::graph
