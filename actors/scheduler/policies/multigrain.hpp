/// Multigrain: super-tasks are in one order; accelerators take one end of it and cores the other.
#pragma once

#include <cstddef>
#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// J.-Y. Vet, P. Carribault, A. Cohen: Multigrain Affinity for Heterogeneous Work Stealing (MULTIPROG 2012), for any
/// number of accelerators and with priorities.
///
/// Assumption: an accelerator is best at whole super-tasks, which are tasks of pieces (`Codelet::pieces`); cores, all
/// together, are best at pieces. Times are not needed.
///
/// Algorithm: ready tasks are kept in one order: by priority; then, with `affinity`, by how much the data that they
/// write will be used (`ReadyTask::reuse`); then by age, the older is higher. An accelerator with room takes the
/// highest task that it can run; the one with the fewest tasks chooses first. It has room while it has at most `ahead`
/// besides the one that runs, so that their data come meanwhile. Then cores that have nothing to do, and help no other
/// worker, take:
///
/// 1. tasks that only cores can run, those of the highest priority first; of equal ones the lowest index, then the
///    oldest;
/// 2. the lowest of the others.
///
/// A core gets a super-task only while no other core has one with pieces left: those pieces are taken first (*pieces
/// come first*). So all cores together are at one end of the order.
///
/// *Taken back*: with `take_back`, a core that has nothing to do while no super-task waits here gets the last one that
/// waits on an accelerator behind another task.
///
/// *Least size*: a super-task of fewer operations than `least_flops` is for cores, as long as one can run it.
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
