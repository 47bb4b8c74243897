/// HEFT and its kin: each ready task goes where it would end first.
#pragma once

#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// Assumptions: kernel and transfer times are known; a worker runs one task at a time, in the order in which they were
/// placed.
///
/// Algorithm (`000`, algorithm 1): sort the ready tasks; then, one by one, take the worker with the earliest finish,
///
///     finish = available + transfer + execution
///
/// and count the task to that worker's load (there, copies begin at once). Copies that other work would hide are
/// charged all the same, as in XKaapi and StarPU: so data weigh more than the model says. Ties: tasks in their given
/// order, workers by id.
struct EarliestFinishOptions {
  enum class Order {
    /// The order in which they became ready: minimum completion time, `mct`.
    given,
    /// Decreasing ratio of the time on a core to that on a GPU, both the least of the kind: `heft`.
    speedup,
    /// Decreasing upward rank (mean times): `heft-rank`.
    rank,
  };
  Order order = Order::speedup;
  /// Add what is already queued on the links to the transfer.
  bool communication_prediction = false;
  bool rounds = false;
  /// Charge copies as if all GPUs copied in both directions at the same time over one link, as StarPU does: 2 * GPUs
  /// times what one alone takes.
  bool shared_links = false;
  /// True: counts like StarPU's dmda. Bytes take 2 * GPUs times as long, copies go on beside the worker's other work,
  /// and count once more in the choice, which is the least max(available, now + transfer) + execution + transfer.
  bool dmda = false;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> earliest_finish(const EarliestFinishOptions& options);

}  // namespace troupe::scheduler
