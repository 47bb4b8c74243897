/// Copies over shared links in virtual time: computes how long each copy takes if several copies share the links on its
/// way.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/virtual/link_sharing.hpp"
#include "platform/virtual/virtual_time.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// The name of a copy. No other copy has the same name while the copy exists, and practically none gets it later.
struct CopyId {
  std::uint32_t slot = UINT32_MAX;
  std::uint32_t generation = 0;
  friend constexpr bool operator==(CopyId, CopyId) = default;
};

/// The links between memory nodes, and the copies that share them.
///
/// The model. A route goes from one memory node to another over links; each link carries a number of bytes per second,
/// for all copies together. For each pair (from, to) one copy is on its way at a time. The others wait in a queue:
/// first the copies that a task waits for, then the prefetches, each group in the order of arrival; `Queueing::streams`
/// is another rule. A copy first takes the route's latency and the overhead, without using a link; then its bytes flow.
/// The rates of all flows are max-min fair (`link_sharing.hpp`) and are computed again whenever a flow starts or ends.
/// Times are whole nanoseconds, rounded up.
///
/// Only the thread of its `VirtualTime` may use the network. The `VirtualTime` must outlive the network, and the
/// network must outlive its copies. Equal calls give equal times and orders. Starting or ending a flow takes about a
/// microsecond with 30 flows over 40 links.
class LinkNetwork {
 public:
  struct Link {
    double bytes_per_s = 0;
  };

  /// The rule that decides which copies wait for other copies.
  enum class Queueing : std::uint8_t {
    /// Copies of one pair of nodes wait for one another, as described above; copies of different pairs run at the same
    /// time.
    pairs,
    /// Copies wait as in StarPU's simulation of CUDA (`src/core/simgrid.c`, `src/datawizard/data_request.h`). For each
    /// pair the driver gets at most five copies that a task waits for and two prefetches. No copy overtakes a copy that
    /// the driver got before it, and the overhead passes before a copy is on its way. A copy begins when the driver has
    /// no earlier copy of the same pair, and no earlier copy that excludes it: during a copy between two GPUs no other
    /// copy goes to either GPU. Node 0 is the host, all others are GPUs.
    streams,
  };

  /// The way from one node to another. `bytes_per_s` is the rate of one copy alone; zero means that there is no way.
  struct Route {
    /// Indices of the links, each at most once.
    std::vector<std::uint32_t> links;
    double bytes_per_s = 0;
    Duration latency{};
  };

  /// The traffic over a link so far. `bytes` counts completed copies only.
  struct LinkStatistics {
    Bytes bytes;
    /// The time during which at least one copy's bytes have flowed over the link.
    Duration busy{};
    /// The highest total rate of the flows over the link, divided by the link's capacity: at most 1.
    double highest_load = 0;
  };

  /// The traffic of a pair of nodes so far, and the copies that wait. `bytes` counts completed copies only.
  struct PairStatistics {
    Bytes bytes;
    std::uint64_t copies = 0;
    /// The time during which a copy of the pair has been on its way, latencies included.
    Duration busy{};
    /// The number of copies in the queue, without the copy on its way, and their bytes.
    std::uint32_t queued = 0;
    Bytes queued_bytes;
    std::uint32_t longest_queue = 0;
  };

  /// A copy whose bytes flow now, for reports and checks.
  struct Flow {
    CopyId copy;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double bytes_per_s = 0;
  };

  /// `routes` has `nodes` times `nodes` entries, those from node 0 first; entries from a node to itself are ignored.
  /// Every copy takes `overhead_per_copy` in addition to its latency, or before it (`Queueing::streams`). The values
  /// must be valid, as those of a platform file that was read without errors are: capacities above zero, links that
  /// exist, no negative times.
  LinkNetwork(VirtualTime& time, std::vector<Link> links, std::size_t nodes, std::vector<Route> routes,
              Duration overhead_per_copy = {}, Queueing queueing = Queueing::pairs);
  LinkNetwork(const LinkNetwork&) = delete;
  LinkNetwork& operator=(const LinkNetwork&) = delete;

  [[nodiscard]] bool connected(std::size_t from, std::size_t to) const;

  /// Requests a copy between two connected nodes. `waited_for` is true if a task waits for the copy. `done` is called
  /// when the last byte has arrived; the next copy of the pair is then already on its way. `done` may request further
  /// copies.
  CopyId start(std::size_t from, std::size_t to, Bytes bytes, bool waited_for, Event done);

  /// Reports that a task now waits for the copy. If the copy is in the queue, it moves behind the last copy that a task
  /// waits for. Nothing changes if the copy is on its way, done or already waited for.
  void make_urgent(CopyId copy);

  [[nodiscard]] const std::vector<Link>& links() const noexcept { return links_; }
  /// Return the statistics so far.
  [[nodiscard]] LinkStatistics link_statistics(std::size_t link) const;
  [[nodiscard]] PairStatistics pair_statistics(std::size_t from, std::size_t to) const;
  /// Returns the copies whose bytes flow now, in the order in which they began to flow.
  [[nodiscard]] std::vector<Flow> flows() const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  enum class Stage : std::uint8_t { free, queued, given, latency, flowing };

  struct Copy {
    Event done;
    Bytes bytes;
    std::uint32_t pair = 0;
    std::uint32_t generation = 0;
    /// The copies before and after this copy in the queue.
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    Stage stage = Stage::free;
    bool waited_for = false;
    /// True if the driver counts the copy among those that a task waits for; false if the driver counts it as a
    /// prefetch.
    bool given_as_waited_for = false;

    /// The state while the copy's bytes flow: the bytes left at `since`, the rate from then on, and the time when the
    /// last byte arrives.
    double left = 0;
    double bytes_per_s = 0;
    TimeStamp since{};
    TimeStamp finish{};
  };

  /// A queue: a doubly linked list through `Copy::previous` and `Copy::next`.
  struct Line {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  struct Pair {
    Line urgent;
    Line prefetches;
    std::uint32_t active = kNone;
    /// The numbers of copies that the driver has got (copies that tasks wait for, and prefetches), including the copy
    /// on its way.
    std::uint32_t given_waited_for = 0;
    std::uint32_t given_prefetches = 0;
    /// The time at which the copy that is on its way began.
    TimeStamp since{};
    PairStatistics statistics;
  };

  struct LinkState {
    std::uint32_t flows = 0;
    TimeStamp busy_since{};
    /// The sum of the rates of the link's flows, in bytes per second.
    double load = 0;
    LinkStatistics statistics;
  };

  std::uint32_t new_copy();
  void append(Pair& pair, std::uint32_t copy);
  void unlink(Pair& pair, std::uint32_t copy);
  /// Gives the driver as many of the pair's copies as it accepts.
  void give(std::uint32_t pair);
  [[nodiscard]] bool takes_next(const Pair& pair) const;
  /// Begins the driver's copies that do not have to wait for other copies.
  void begin_given();
  void begin(std::uint32_t copy);
  /// Returns true if copies of the pair `one` and copies of the pair `other` have to wait for each other.
  [[nodiscard]] bool exclude(std::uint32_t one, std::uint32_t other) const;
  /// Called when the latency of the copy is over.
  void begin_flow(std::uint32_t copy);
  /// Called when the copy's bytes have arrived and no longer use the links.
  void end_copy(std::uint32_t copy);
  /// Ends the copies whose bytes have all flowed by now.
  void complete_due();
  /// Computes rates and completion times of the current flows, and requests an event for the next completion.
  void share();
  void note_loads();

  VirtualTime& time_;
  std::vector<Link> links_;
  std::size_t nodes_;
  std::vector<Route> routes_;
  Duration overhead_;
  Queueing queueing_;

  std::vector<Pair> pairs_;
  std::vector<LinkState> link_states_;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> free_;
  /// The driver's copies, in the order in which it got them; only with `Queueing::streams`.
  std::vector<std::uint32_t> given_;
  /// `flowing_` holds the copies whose bytes flow, in the order in which they began to flow; `demands_` holds the data
  /// that `sharing_` needs of each of them.
  std::vector<std::uint32_t> flowing_;
  std::vector<SharedFlow> demands_;
  LinkSharing sharing_;
  /// The next completion, if any.
  EventId completion_;
  TimeStamp completion_time_ = TimeStamp::max();
};

}  // namespace troupe::platform
