/// OpenMP for codelets whose kernels use OpenMP, directly or in a library: with `openmp_team` as their prologue
/// (`Codelet::prologue`), a worker's OpenMP threads run on the cores of the worker's cluster.
#pragma once

#ifdef _OPENMP

#include <omp.h>

#include <atomic>
#include <memory>
#include <string>

#include "troupe/errors.hpp"
#include "troupe/team.hpp"

namespace troupe {

/// Gives OpenMP one thread per member of the team, bound to that member's core. When the worker goes on to other
/// codelets, the number of OpenMP threads is set back to one. OpenMP's threads belong to the thread that starts them,
/// so several teams can use OpenMP at the same time. Throws `Error`: `invalid_argument` if the environment binds
/// OpenMP's threads, `platform` if there are too few threads or they cannot be bound.
inline std::shared_ptr<void> openmp_team(Team& team) {
  if (omp_get_proc_bind() != omp_proc_bind_false) {
    throw Error(ErrorCode::invalid_argument,
                "OpenMP binds its threads itself, to cores of other workers: unset OMP_PROC_BIND, OMP_PLACES and "
                "GOMP_CPU_AFFINITY");
  }
  const int size = team.size();
  omp_set_dynamic(0);
  omp_set_num_threads(size);
  int threads = 0;
  std::atomic<int> unbound{0};
#pragma omp parallel num_threads(size)
  {
    const int rank = omp_get_thread_num();
    if (rank == 0) threads = omp_get_num_threads();
    if (!team.bind_like(rank)) ++unbound;
  }
  std::shared_ptr<void> one_again(static_cast<void*>(nullptr), [](void*) { omp_set_num_threads(1); });
  if (threads < size) {
    throw Error(ErrorCode::platform, "OpenMP has " + std::to_string(threads) + " threads for a team of " +
                                         std::to_string(size) + ": raise or unset OMP_THREAD_LIMIT");
  }
  if (unbound > 0) {
    throw Error(ErrorCode::platform, std::to_string(unbound) +
                                         " of OpenMP's threads cannot be bound to the cluster's "
                                         "cores, which this process may not use any more");
  }
  return one_again;
}

}  // namespace troupe

#endif  // _OPENMP
