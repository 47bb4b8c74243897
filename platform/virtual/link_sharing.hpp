/// Who gets how much of links that are shared: max-min fairness.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::platform {

/// What goes over links: which ones, each at most once, and what it takes at most, in bytes per second.
struct SharedFlow {
  std::span<const std::uint32_t> links;
  double limit = 0;
};

/// Shares links between flows so that nobody can get more without taking from one that has no more than he (max-min
/// fairness): each flow gets what it takes at most, or goes over a link that is used up and on which no flow gets more.
/// There is exactly one such sharing, and progressive filling finds it: raise all rates alike; where a link is used up
/// or a flow has its limit, the rates there stand; go on with the others. (Bertsekas and Gallager, Data
/// Networks, 6.5.2.)
///
/// No link is given out beyond its capacity by more than the rounding of doubles (a relative 1e-15 per flow), and no
/// flow gets nothing. Keeps its scratch memory, so that it allocates nothing after a while. Not for two threads at
/// once.
class LinkSharing {
 public:
  /// Capacities in bytes per second, above zero.
  explicit LinkSharing(std::vector<double> capacities);

  /// The rates of `flows` in bytes per second, in their order; valid until the next call. Limits are above zero and
  /// finite. O(n (f + l)) for f flows with few links each over l used links, and n different rates.
  [[nodiscard]] std::span<const double> share(std::span<const SharedFlow> flows);

 private:
  struct State {
    double left = 0;
    /// Flows over it whose rate does not stand yet.
    std::uint32_t open = 0;
    /// What each of these would get; and whether that is the least of all links.
    double share = 0;
    bool tightest = false;
  };

  void begin(std::span<const SharedFlow> flows);
  /// Computes every used link's share and returns the least.
  double least_share();
  /// Flows that take no more than `share`, which nobody can take from them. False: there are none.
  bool settle_limited(std::span<const SharedFlow> flows, double share);
  /// Flows over the links whose share is the least.
  void settle_on_tightest(std::span<const SharedFlow> flows, double share);
  void settle(const SharedFlow& flow, std::uint32_t index, double rate);

  std::vector<double> capacities_;
  std::vector<State> states_;
  /// Links with flows whose rate does not stand yet, and these flows.
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> open_;
  std::vector<double> rates_;
};

}  // namespace troupe::platform
