/// The machine that bounds are for: types of worker, whatever these are.
#pragma once

#include <limits>
#include <vector>

namespace troupe::apps {

inline constexpr double kCannotRun = std::numeric_limits<double>::infinity();

/// Workers that take equal times: cores, GPUs of one model, clusters of cores. Each runs one task at a time.
struct WorkerType {
  /// By kind of task, in seconds: the least time that one takes on such a worker, or `kCannotRun`. The bounds are as
  /// good as these.
  std::vector<double> times;
  /// How many of them there are.
  int count = 0;
  /// The cores that a worker occupies while it runs a task; 0: none, it is a GPU.
  int cores = 1;
  /// Whether they work on host memory; else each has a memory of its own, which starts empty.
  bool on_host = true;
};

struct BoundMachine {
  std::vector<WorkerType> types;
  /// The cores that all types share, where workers of one occupy those of another (clusters that are formed as they are
  /// needed); 0: they do not, every worker has cores of its own.
  int shared_cores = 0;
};

}  // namespace troupe::apps
