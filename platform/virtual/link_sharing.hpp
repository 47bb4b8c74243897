/// Divides the capacity of links between the flows that share them: max-min fairness.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::platform {

/// A flow over links: its links, each at most once, and its limit, in bytes per second.
struct SharedFlow {
  std::span<const std::uint32_t> links;
  double limit = 0;
};

/// Shares links between flows so that no flow can get more without taking from one that has no more than it (max-min
/// fairness). Each flow gets its limit, or goes over a link that is used up and on which no flow gets more. There is
/// exactly one such sharing, and progressive filling finds it: raise all rates alike; when a link is used up or a flow
/// has its limit, fix the rates there; go on with the others. (Bertsekas and Gallager, Data Networks, 6.5.2.)
///
/// The rates over a link exceed its capacity by no more than the rounding of doubles (a relative 1e-15 per flow), and
/// every flow gets something. Keeps its working memory, so that it allocates nothing after a while. One thread at a
/// time.
class LinkSharing {
 public:
  /// The capacities are in bytes per second, above zero.
  explicit LinkSharing(std::vector<double> capacities);

  /// Returns the rates of `flows` in bytes per second, in their order; valid until the next call. Limits are above zero
  /// and finite. O(n (f + l)) for f flows with few links each over l used links, and n different rates.
  [[nodiscard]] std::span<const double> share(std::span<const SharedFlow> flows);

 private:
  struct State {
    double left = 0;
    /// The number of flows over this link whose rate is not fixed yet.
    std::uint32_t open = 0;
    /// `share` is the rate that each of these flows would get; `tightest` is true if no link has a lower one.
    double share = 0;
    bool tightest = false;
  };

  void begin(std::span<const SharedFlow> flows);
  /// Computes every used link's share and returns the least.
  double least_share();
  /// Fixes the rates of flows that take no more than `share`. Returns false if there are none.
  bool settle_limited(std::span<const SharedFlow> flows, double share);
  /// Fixes the rates of flows over the links whose share is the least.
  void settle_on_tightest(std::span<const SharedFlow> flows, double share);
  void settle(const SharedFlow& flow, std::uint32_t index, double rate);

  std::vector<double> capacities_;
  std::vector<State> states_;
  /// The links with flows whose rate is not fixed yet, and these flows.
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> open_;
  std::vector<double> rates_;
};

}  // namespace troupe::platform
