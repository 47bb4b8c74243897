/// HEFT and similar policies: each ready task goes where it would end first.
#pragma once

#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// Assumptions: kernel and transfer times are known; a worker runs one task at a time, in the order in which they were
/// placed.
///
/// Algorithm (Bleuse et al., Euro-Par 2014, algorithm 1): sort the ready tasks; then, one by one, take the worker with
/// the earliest finish,
///
///     finish = available + transfer + execution
///
/// and add the task to that worker's load (its copies begin at once). As in XKaapi and StarPU, copies are charged in
/// full even if they overlap with other work, so data weigh more than the model says. Ties: tasks in their given order,
/// workers by id.
struct EarliestFinishOptions {
  enum class Order {
    /// The order in which tasks became ready: minimum completion time, `mct`.
    given,
    /// Decreasing ratio of the time on the fastest core to the time on the fastest GPU: `heft`.
    speedup,
    /// Decreasing upward rank (mean times): `heft-rank`.
    rank,
  };
  Order order = Order::speedup;
  /// True if a task's copies wait for the bytes that are already queued on the links.
  bool communication_prediction = false;
  bool rounds = false;
  /// True to charge copies as if all GPUs copied in both directions at the same time over one link, as StarPU does: a
  /// copy then costs 2 * GPUs times its time on an idle link.
  bool shared_links = false;
  /// True to count like StarPU's dmda: each byte takes 2 * GPUs times as long, and copies overlap with the worker's
  /// other work. The chosen worker has the least max(available, now + transfer) + execution + transfer, so copies count
  /// twice.
  bool dmda = false;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> earliest_finish(const EarliestFinishOptions& options);

}  // namespace troupe::scheduler
