/// How fast a kernel is on each device, and whether it pays to split its launches.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Learns from launches of one kernel; those of like size, within a factor of two, are learned together. Times are in
/// nanoseconds, devices numbers that the caller gives them. Thread-safe.
class KernelSpeeds {
 public:
  /// What it costs, about, to build a kernel for parts, which disturbs what runs: nothing is split before launches that
  /// were alone have taken as long.
  static constexpr double kBuilding = 3e8;

  explicit KernelSpeeds(double building = kBuilding) : building_(building) {}

  struct Choice {
    /// Each device's part of a launch, in the order in which they were given; they sum up to 1. Empty: not to be split.
    std::vector<double> shares;
    /// Only to see how fast some devices are: says nothing of what splitting brings.
    bool trial = false;
    /// How many parts each device is to have.
    std::size_t rounds = 1;
  };

  /// For a launch of so many work-items on one of `devices`. `merging`: what splitting costs besides. As long as
  /// nothing is known of a device it gets a small share of a launch that is long enough.
  [[nodiscard]] Choice choose(std::size_t items, std::span<const int> devices, double merging);

  /// Launches that had their devices for themselves took so long: an unsplit one on a device, one's parts on a device,
  /// and all of a split one with what comes after the parts.
  void took_whole(int device, std::size_t items, double time);
  void took_part(std::size_t all_items, int device, std::size_t items, double time);
  void took_split(std::size_t items, double time);

 private:
  /// A mean in which later values count more.
  struct Mean {
    double value = 0;
    std::size_t count = 0;
    /// Until the second value of a large part there is but the last one: small parts may be other than the rest, and in
    /// the first launch of a size drivers compile.
    bool settled = false;
    bool has_large = false;

    void add(double one, bool small = false);
  };
  /// Of launches of like size: times of a work-item.
  struct Known {
    std::map<int, Mean> whole;
    std::map<int, Mean> part;
    Mean split;
    /// Launches that are not split before it is tried again, and how many there are to be the next time.
    std::size_t pause = 0;
    std::size_t next_pause = 32;
    /// Since the last that was not split.
    std::size_t splits = 0;
  };

  [[nodiscard]] Known& known(std::size_t items) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] static std::vector<double> trial(const Known& known, std::span<const int> devices, double whole);
  [[nodiscard]] static std::vector<double> by_speed(const Known& known, std::span<const int> devices);
  /// Where that is so, nothing is split for a while.
  [[nodiscard]] static bool did_not_pay(Known& known, double whole_item);

  const double building_;
  Mutex mutex_;
  /// Of whole launches.
  double whole_time_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::map<int, Known> by_size_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
