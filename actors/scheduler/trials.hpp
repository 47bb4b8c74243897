/// Trials of kernels whose times are not known, and the tasks that wait for what the trials tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "actors/scheduler/kernel_times.hpp"
#include "actors/scheduler/models/predictions.hpp"
#include "actors/scheduler/policy.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

/// Under a policy that decides by times, uncertain times are measured first. This is done for all classes of one kernel
/// together (`ExecutionModel::kernel`), on each type of device (kind, cores, model) that can run them:
///
/// - If measurements are missing, tasks are *tried*, the smallest waiting tasks first. They go to the least loaded
///   worker of the type, as many as measurements are missing, minus the trials under way.
/// - If the kernel's times are unknown on some type, its other tasks are *held* here until a worker of a known type has
///   room. Each goes to the worker where it ends first. If only one type can run the kernel, there is nothing to
///   choose, and the tasks are held until a worker is idle. So a type that may be slow is not flooded.
/// - If the times are known but not sure (`ExecutionModel::is_sure`), a policy that keeps tasks decides about them.
///   Under other policies, tasks are held until the worker that the policy names has room: a first guess must not place
///   all of them. Meanwhile, tasks of kernels with sure times are held, too. So the policy sees all tasks that compete
///   for the same workers, and no queue is filled before it is known what else has to run there.
/// - If the times are known surely, the policy decides.
///
/// | call      | the tasks that are held                                                                           |
/// |-----------|---------------------------------------------------------------------------------------------------|
/// | `hold`    | one more, if its kernel's times are not known, or if it has to wait for room; else no change      |
/// | `release` | trials leave, placed; so do tasks of unknown times for which a worker has room; tasks that need   |
/// |           | not wait leave for the policy                                                                     |
/// | `remove`  | the given tasks leave: the scheduler has placed them as the policy said (`waiting_for_room`)      |
/// | `clear`   | all leave: the scheduler places them without the policy                                           |
///
/// Not thread-safe.
class Trials {
 public:
  struct HeldTask : ReadyTask {
    /// The number of tasks, of any kernel, that were held before this task.
    std::uint64_t number = 0;
  };

  /// The scheduler around the trials, during one decision.
  struct Scheduler {
    KernelTimes& times;
    /// The workers with their present loads, which each placement changes.
    KernelTimes::Machine machine;
    TimeStamp now{};
    /// Returns true if a task that is placed on the worker can begin soon.
    std::function<bool(const WorkerState& worker)> has_room;
    /// Places the task; `tried` is true for a trial. If `worker` is invalid, no worker can run the task: it has to go
    /// to a worker that reports this.
    std::function<void(const ReadyTask& task, WorkerId worker, bool tried)> place;
  };

  /// `keeps` is true if the policy keeps tasks (`PolicyTraits::keeps`).
  explicit Trials(bool keeps) : keeps_(keeps) {}

  /// Returns the number of held tasks.
  [[nodiscard]] std::size_t held() const { return held_; }
  /// Calls `visit` for each held task.
  template <class Visit>
  void visit(Visit visit) const {
    for (const Kernel& kernel : kernels_) {
      for (const ReadyTask& task : kernel.held) visit(task);
    }
  }

  /// Holds the task back and returns true if too little is known of its kernel's times (`known`), or if it has to wait
  /// for room. Returns false if the policy should be asked now. Some worker can run the task.
  [[nodiscard]] bool hold(const ReadyTask& task, const KernelTimes::ClassTimes& known);
  /// Places the tasks that need not wait any longer. Appends to `shown` the tasks that the policy should decide about.
  void release(const Scheduler& scheduler, std::vector<ReadyTask>& shown);
  /// Returns the tasks that wait for room, but not more than the policy may see at once, in the order in which they
  /// were held.
  [[nodiscard]] std::vector<HeldTask> waiting_for_room(const Scheduler& scheduler) const;
  /// Removes these held tasks, which are sorted by id.
  void remove(std::span<const TaskId> sorted);
  void clear();
  /// Called when a trial of the kernel has ended, or will never run, on a worker of this type.
  void ended(std::size_t kernel, std::uint32_t type) { --under_way(kernel, type); }

 private:
  /// The tasks of one kernel: a measurement of one task also tells something about the other tasks.
  struct Kernel {
    /// For each type of device, the number of trials under way.
    std::vector<std::uint32_t> trials;
    /// The held tasks, in the order in which they became ready.
    std::deque<HeldTask> held;
  };

  [[nodiscard]] std::uint32_t& under_way(std::size_t kernel, std::uint32_t type);
  /// Returns true if the policy must not be asked about a task of this class before its worker has room.
  [[nodiscard]] bool waits_for_room(const KernelTimes::ClassTimes& known) const;
  /// Returns true if the time of any held task is not known surely. Examines only the first tasks of each kernel.
  [[nodiscard]] bool holds_unsure(const Scheduler& scheduler) const;
  /// Releases the held tasks of one kernel, except those that wait for room.
  void release_kernel(Kernel& kernel, const Scheduler& scheduler, std::vector<ReadyTask>& shown);
  /// If measurements of the kernel are missing, tries its smallest tasks, so that trials on a slow device cost little.
  void try_smallest(Kernel& kernel, const Scheduler& scheduler);
  /// Releases a held task; returns false if the task has to wait longer.
  bool release_task(const ReadyTask& task, const Scheduler& scheduler, std::vector<ReadyTask>& shown);
  /// Places the task as a trial if measurements of its kernel are missing; returns false if enough trials are under
  /// way.
  bool try_out(const ReadyTask& task, const Scheduler& scheduler);

  bool keeps_;
  /// The kernels, by the number that `ExecutionModel::kernel` returns. A deque, because kernels may be added while a
  /// reference to one of them is in use.
  std::deque<Kernel> kernels_;
  std::size_t held_ = 0;
  /// The number of tasks that were ever held.
  std::uint64_t ever_held_ = 0;
  /// The last answer of `holds_unsure`, or true if an unsure task has been held since.
  bool any_unsure_ = false;
};

}  // namespace troupe::scheduler
