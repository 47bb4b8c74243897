/// The machine for which bounds are computed: a list of types of worker.
#pragma once

#include <limits>
#include <vector>

namespace troupe::apps {

inline constexpr double kCannotRun = std::numeric_limits<double>::infinity();

/// Workers with equal kernel times: cores, GPUs of one model, or clusters of cores. Each runs one task at a time.
struct WorkerType {
  /// For each kind, the least time in seconds that a task takes on such a worker, or `kCannotRun`. The bounds are as
  /// good as these times.
  std::vector<double> times;
  /// The number of workers of this type.
  int count = 0;
  /// The number of cores that a worker occupies while it runs a task; 0 for a GPU.
  int cores = 1;
  /// True if the workers use host memory; otherwise each has a memory of its own, which is empty at the start.
  bool on_host = true;
};

struct BoundMachine {
  std::vector<WorkerType> types;
  /// The number of cores that all types share, if workers of one type occupy cores of another type (clusters that are
  /// formed when they are needed); 0 if every worker has cores of its own.
  int shared_cores = 0;
};

}  // namespace troupe::apps
