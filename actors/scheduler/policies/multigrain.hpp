/// Multigrain: super-tasks are in one order; accelerators take tasks from one end of the order, cores from the other
/// end.
#pragma once

#include <cstddef>
#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// J.-Y. Vet, P. Carribault, A. Cohen: Multigrain Affinity for Heterogeneous Work Stealing (MULTIPROG 2012), extended
/// to any number of accelerators and to priorities.
///
/// Assumption: an accelerator is best at whole super-tasks, which are tasks of pieces (`Codelet::pieces`); cores, all
/// together, are best at pieces. Times are not needed.
///
/// Algorithm: ready tasks are kept in one order: by priority; then, with `affinity`, by how much the data that they
/// write will be used (`ReadyTask::reuse`); then by age, where older is higher. An accelerator with room takes the
/// highest task that it can run; the accelerator with the fewest tasks chooses first. An accelerator has room while at
/// most `ahead` tasks wait or run there, so that the data of the next task are copied meanwhile. Then each core that
/// has nothing to do, and helps no other worker, takes:
///
/// 1. a task that only cores can run, the highest priority first; among equal tasks, the lowest reuse first, then
///    the oldest;
/// 2. if there is none, the lowest of the other tasks.
///
/// A core gets a super-task only while no other core has a super-task with pieces left, because idle cores take these
/// pieces first (*pieces come first*). So all cores work together at one end of the order.
///
/// *Taken back*: with `take_back`, a core that has nothing to do while the policy keeps no super-task gets the last
/// super-task that waits on an accelerator behind another task.
///
/// *Least size*: a super-task of fewer operations than `least_flops` is for cores, if a core can run it.
///
/// Ties: the worker with the smallest id.
struct MultigrainOptions {
  enum class Order {
    /// Tasks go by priority, reuse and age.
    affinity,
    /// Tasks go by priority and age.
    fifo,
  };
  Order order = Order::affinity;
  double least_flops = 0;
  std::size_t ahead = 1;
  bool take_back = false;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> multigrain(const MultigrainOptions& options);

}  // namespace troupe::scheduler
