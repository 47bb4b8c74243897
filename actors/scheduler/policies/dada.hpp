/// DADA: tasks go where their data are, as far as the balance of loads allows.
#pragma once

#include <memory>

#include "actors/scheduler/policies/affinity.hpp"
#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// *Distributed Affinity Dual Approximation* (`000`, section 3.2, algorithm 2).
///
/// Assumptions: kernel times are known; workers of a kind are equally fast (with clusters of mixed sizes it works, but
/// nothing is proven: `DualApproximation`); the tasks of a round are independent; a worker runs one task at a time, in
/// the order in which they were placed.
///
/// Algorithm: see `DualApproximation`, which gets the tasks of a completion or of a round. The paper leaves open:
///
/// - where loads start (`Loads`). If they start from the queued tasks, no guess of the length below the longest queue
///   is tried, as no schedule is that short: a search from 0 would find so short a lambda that GPUs with tasks count as
///   full while far slower cores get more tasks;
/// - how host memory counts. All data begin there and all cores share it, so that every task would have an affinity to
///   every core before anything has run. The affinity functions of XKaapi, for which DADA was written, ignore the host
///   (`src/memory/kaapi_memory_taskdescr.c`: only valid copies in address spaces other than 0 count); so does this
///   policy, unless `host` is set;
/// - which of several workers with the same score gets the task: the one where it would end first;
/// - whether a task may follow its data to a worker where it takes longer than lambda: it may not, as no schedule of
///   that length does that.
///
/// Ties: see `DualApproximation`.
struct DadaOptions {
  enum class Loads {
    /// The global balance starts from the tasks that are already queued on the workers; the affinity phase counts only
    /// what it places itself, so that the first task of a round always follows its data.
    queued,
    /// Both phases start from the tasks that are already queued: a worker with much to do gets no task for affinity.
    both,
    /// Both phases start from zero: a round is balanced in itself. The workers' time stamps only decide between workers
    /// on which a task would end at the same time.
    zero,
    /// Both phases start from zero. Of the workers that have room, a task goes to the one where it really ends first,
    /// behind the tasks that are queued there.
    stamps,
  };
  /// The affinity phase gives a worker no more tasks once its load has reached this part of the guessed length lambda.
  /// From 0 to 1; 0 is plain dual approximation.
  double alpha = 0.5;
  /// Communication prediction: a task begins when its data are there, and copies are queued behind those under way.
  /// Without it copies take no time.
  bool communication_prediction = false;
  Loads loads = Loads::queued;
  Affinity affinity = written_there;
  /// True if data in host memory draw tasks to the cores.
  bool host = false;
  /// True to decide once about all tasks that became ready since the last decision; false to decide after every
  /// completion.
  bool rounds = false;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> dada(const DadaOptions& options);

}  // namespace troupe::scheduler
