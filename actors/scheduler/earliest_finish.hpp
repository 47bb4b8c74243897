/// HEFT and its kin: each ready task goes where it would end first.
#pragma once

#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// Assumptions: kernel and transfer times are known; a worker runs one task at a time, in the order in which they were
/// placed; copies begin at once, beside other work.
///
/// Algorithm (`000`, algorithm 1): sort the ready tasks; then, one by one, take the worker with the earliest finish,
///
///     finish = max(available, now + transfer) + execution
///
/// and count the task to that worker's load. Ties: tasks in their given order, workers by id.
struct EarliestFinishOptions {
  enum class Order {
    /// As they became ready: minimum completion time, `mct`.
    given,
    /// By decreasing ratio of their time on a core to that on a GPU, both the least of the kind: `heft`.
    speedup,
    /// By decreasing upward rank (mean times): `heft-rank`.
    rank,
  };
  Order order = Order::speedup;
  /// Add what is already queued on the links to the transfer.
  bool communication_prediction = false;
  bool rounds = false;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> earliest_finish(const EarliestFinishOptions& options);

}  // namespace troupe::scheduler
