/// The remaining work as a whole: the time that the devices need for it together.
#pragma once

#include <vector>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// The area bound of the tasks that were submitted and have not ended. This is a lower bound of their total time on
/// cores and GPUs: it ignores dependencies and copies, and assumes that tasks can be divided. For two kinds of device
/// its linear program is solved by sorting: GPUs take the classes of tasks with the largest speed-up, cores take those
/// with the smallest, and the class in between is shared so that both kinds end at the same time. Devices of one kind
/// may be of different types: they count as equally many devices of their mean speed. So the weight of a cluster is the
/// number of tasks that it does in a second; the sizes of the other clusters do not matter.
class Outlook {
 public:
  /// Computes the outlook. O(classes * (workers + log classes)). Without `Predictions::left` it assumes that no task is
  /// left.
  void look(const Snapshot& snapshot);

  /// Returns the least time in which the devices can do all remaining tasks.
  [[nodiscard]] double rest_s() const { return rest_s_; }
  /// Returns the speed-up below which classes are better off on cores; zero if there are no cores, infinite if there
  /// are no GPUs.
  [[nodiscard]] double pivot() const { return pivot_; }
  /// Returns the class's time on a core of mean speed divided by its time on a GPU of mean speed: zero if only cores
  /// can run it, infinite if only GPUs can.
  [[nodiscard]] double speedup(SizeClassId size_class) const;
  /// Returns the class's time on the worker that is fastest for it; 0 if its times are unknown.
  [[nodiscard]] double fastest_s(SizeClassId size_class) const {
    return size_class.valid() && size_class.index() < fastest_s_.size() ? fastest_s_[size_class.index()] : 0;
  }
  /// Returns the mean, over all tasks, of a task's time on its fastest worker. Tolerances are multiples of this time.
  [[nodiscard]] double kernel_s() const { return kernel_s_; }

 private:
  /// The remaining work of one size class.
  struct ClassWork {
    double speedup = 0;
    /// The time of all tasks of the class together, on one device of each kind.
    double on_cores_s = 0;
    double on_gpus_s = 0;
    /// True if only cores, or only GPUs, can run the class.
    bool cores_only = false;
    bool gpus_only = false;
  };

  /// Times on a device of the mean speed of all cores, or of all GPUs; infinite if no such device can run the class.
  struct MeanTimes {
    double on_core_s = 0;
    double on_gpu_s = 0;
    /// The time on the fastest of all workers; infinite if no worker can run the class.
    double fastest_s = 0;
  };

  void collect(const Snapshot& snapshot);
  static MeanTimes mean_times(const Snapshot& snapshot, SizeClassId size_class);
  void split(double cores, double gpus);

  std::vector<ClassWork> classes_;
  /// The speed-up of each size class.
  std::vector<double> speedups_;
  std::vector<double> fastest_s_;
  double rest_s_ = 0;
  double pivot_ = 0;
  double kernel_s_ = 0;
};

}  // namespace troupe::scheduler
