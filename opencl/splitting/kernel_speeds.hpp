/// The speeds of a kernel on the devices, and the decision whether to split its launches.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Learns from the launches of one kernel. Launches whose sizes differ by less than a factor of about two are learned
/// together. Times are in nanoseconds; the caller numbers the devices. Thread-safe.
class KernelSpeeds {
 public:
  /// The approximate cost of building a kernel for slices, which disturbs running work. No launch is split until the
  /// measured unsplit launches have taken this long in total.
  static constexpr double kBuilding = 3e8;

  explicit KernelSpeeds(double building = kBuilding) : building_(building) {}

  struct Choice {
    /// The fraction of the launch for each device, in the order of `devices`. The fractions sum up to 1. Empty if the
    /// launch should not be split.
    std::vector<double> fractions;
    /// True if the split only measures how fast some devices are; it does not show whether splitting pays.
    bool trial = false;
    /// The number of slices for each device.
    std::size_t rounds = 1;
  };

  /// Chooses how to run a launch of `items` work-items on `devices`. `merging` is the extra cost of a split. A device
  /// that has not been measured yet gets a small fraction, if the launch is long enough.
  [[nodiscard]] Choice choose(std::size_t items, std::span<const int> devices, double merging);

  /// Record a time that was measured while no other launch ran on the devices: the time of an unsplit launch on one
  /// device (`took_whole`), of all slices on one device (`took_slice`), or of a whole split launch, including the work
  /// after the slices (`took_split`).
  void took_whole(int device, std::size_t items, double time);
  void took_slice(std::size_t all_items, int device, std::size_t items, double time);
  void took_split(std::size_t items, double time);

 private:
  /// A mean in which later values count more.
  struct Mean {
    double value = 0;
    std::size_t count = 0;
    /// False until there have been two values of large slices; until then the mean is only the last value. Small slices
    /// are not typical, and drivers compile during the first launch of a size.
    bool settled = false;
    bool has_large = false;

    void add(double one, bool small = false);
  };
  /// The times per work-item for launches of similar size.
  struct Known {
    std::map<int, Mean> whole;
    std::map<int, Mean> slice;
    Mean split;
    /// `pause` is the number of launches that will not be split before the next attempt. If that attempt does not pay,
    /// it is followed by a pause of `next_pause` launches.
    std::size_t pause = 0;
    std::size_t next_pause = 32;
    /// The number of splits, apart from trials, since the last launch that ran whole only to be measured.
    std::size_t splits = 0;
  };

  [[nodiscard]] Known& known(std::size_t items) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] static std::vector<double> trial(const Known& known, std::span<const int> devices, double whole);
  [[nodiscard]] static std::vector<double> by_speed(const Known& known, std::span<const int> devices);
  /// Returns true if splitting has not paid; then the next launches are not split.
  [[nodiscard]] static bool did_not_pay(Known& known, double whole_item);

  const double building_;
  Mutex mutex_;
  /// The total measured time of launches that were not split.
  double whole_time_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::map<int, Known> by_size_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
