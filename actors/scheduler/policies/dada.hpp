/// DADA: tasks go to where their data are, as long as the loads stay balanced.
#pragma once

#include <memory>

#include "actors/scheduler/policies/affinity.hpp"
#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// *Distributed Affinity Dual Approximation* (Bleuse et al., Euro-Par 2014, section 3.2, algorithm 2).
///
/// Assumptions: kernel times are known; workers of a kind are equally fast (clusters of mixed sizes work, too, but
/// without a proven bound, see `DualApproximation`); the tasks of a round are independent; a worker runs one task at a
/// time, in the order in which they were placed.
///
/// Algorithm: `DualApproximation` places the tasks that one completion made ready, or those of a round. The paper
/// leaves these questions open:
///
/// - From which loads does a round start (`Loads`)? If it starts from the queued tasks, no length below the longest
///   queue is tried, because no schedule is that short. A search from 0 would find a length lambda so short that GPUs
///   with queued tasks count as full while far slower cores get more tasks.
/// - How does host memory count? All data begin there and all cores share it, so every task would have an affinity to
///   every core before any task has run. The affinity functions of XKaapi, for which DADA was written, ignore the host
///   (`src/memory/kaapi_memory_taskdescr.c`: only valid copies in address spaces other than 0 count). So does this
///   policy, unless `host` is set.
/// - If several workers have the same score, which worker gets the task? The worker where it would end first.
/// - May a task follow its data to a worker where it takes longer than lambda? It may not, because a schedule of length
///   lambda cannot contain it.
///
/// Ties: see `DualApproximation`.
struct DadaOptions {
  enum class Loads {
    /// The global balance starts from the tasks that are already queued on the workers. The affinity phase counts only
    /// the tasks that it places itself, so the first task of a round always follows its data.
    queued,
    /// Both phases start from the tasks that are already queued: a worker with long queues gets no task for affinity.
    both,
    /// Both phases start from zero: a round is balanced in itself. The workers' time stamps only decide between workers
    /// on which a task would end at the same time.
    zero,
    /// Both phases start from zero. Among the workers that have room, a task goes to the worker where it will really
    /// end first, after the tasks that are queued there.
    stamps,
  };
  /// The affinity phase gives a worker no more tasks once its load has reached this fraction of the guessed length
  /// lambda. From 0 to 1; 0 is plain dual approximation.
  double alpha = 0.5;
  /// Communication prediction: a task begins when its data have arrived, and its copies wait for the copies that are
  /// under way already. Without communication prediction, copies take no time.
  bool communication_prediction = false;
  Loads loads = Loads::queued;
  Affinity affinity = written_there;
  /// True if data in host memory give tasks an affinity to the cores.
  bool host = false;
  /// True to decide once about all tasks that became ready since the last decision; false to decide after every
  /// completion.
  bool rounds = false;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> dada(const DadaOptions& options);

}  // namespace troupe::scheduler
