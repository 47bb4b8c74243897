/// Divides the capacity of links between the flows that share them: max-min fairness.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::platform {

/// A flow over links: its links, each at most once, and its highest rate, in bytes per second.
struct SharedFlow {
  std::span<const std::uint32_t> links;
  double limit = 0;
};

/// Shares links between flows with max-min fairness: no flow can get a higher rate unless another flow with the same or
/// a lower rate gets less. Each flow either gets its limit, or goes over a fully used link on which no flow has a
/// higher rate. There is exactly one such sharing, and progressive filling finds it: raise all rates equally; when a
/// link is fully used or a flow has reached its limit, fix the rates of these flows; continue with the other flows.
/// (Bertsekas and Gallager, Data Networks, 6.5.2.)
///
/// The sum of the rates over a link exceeds the link's capacity at most by rounding errors (a relative 1e-15 per flow),
/// and every flow's rate is above zero. The object keeps its working memory, so that after a while it allocates
/// nothing. One thread at a time.
class LinkSharing {
 public:
  /// The capacities are in bytes per second, above zero.
  explicit LinkSharing(std::vector<double> capacities);

  /// Returns the rates of `flows` in bytes per second, in the order of `flows`; valid until the next call. Limits must
  /// be above zero and finite. Takes O(n (f + l)) for f flows with few links each over l used links, and n different
  /// rates.
  [[nodiscard]] std::span<const double> share(std::span<const SharedFlow> flows);

 private:
  struct State {
    double left = 0;
    /// The number of flows over this link that have no fixed rate yet.
    std::uint32_t open = 0;
    /// `rate` is the rate that each of these flows would get; `tightest` is true if no other link has a lower `rate`.
    double rate = 0;
    bool tightest = false;
  };

  void begin(std::span<const SharedFlow> flows);
  /// Computes the rate per flow on every used link and returns the smallest such rate.
  double least_rate();
  /// Fixes the rates of flows whose limit is at most `rate`. Returns false if there are no such flows.
  bool settle_limited(std::span<const SharedFlow> flows, double rate);
  /// Fixes the rates of flows over the links that give each flow the smallest rate, `rate`.
  void settle_on_tightest(std::span<const SharedFlow> flows, double rate);
  void settle(const SharedFlow& flow, std::uint32_t index, double rate);

  std::vector<double> capacities_;
  std::vector<State> states_;
  /// `used_` holds the links that have flows without a fixed rate, `open_` holds these flows.
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> open_;
  std::vector<double> rates_;
};

}  // namespace troupe::platform
