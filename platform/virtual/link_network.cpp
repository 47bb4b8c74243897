#include "platform/virtual/link_network.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace troupe::platform {
namespace {

std::vector<double> capacities_of(const std::vector<LinkNetwork::Link>& links) {
  std::vector<double> capacities;
  capacities.reserve(links.size());
  for (const auto& link : links) capacities.push_back(link.bytes_per_s);
  return capacities;
}

/// With `Queueing::streams`, the driver has at most this many copies of one pair at a time: copies that tasks wait for,
/// and prefetches.
constexpr std::uint32_t kMostWaitedFor = 5;
constexpr std::uint32_t kMostPrefetches = 2;

/// Returns the time at which `bytes` that begin to flow now will have arrived; at most about a hundred years from now.
TimeStamp finish_of(TimeStamp now, double bytes, double bytes_per_s) {
  constexpr double kLongest_ns = 4e18;
  const double ns = std::ceil(bytes / bytes_per_s * 1e9);
  return now + Duration(static_cast<Duration::rep>(std::min(ns, kLongest_ns - static_cast<double>(now.count()))));
}

}  // namespace

LinkNetwork::LinkNetwork(VirtualTime& time, std::vector<Link> links, std::size_t nodes, std::vector<Route> routes,
                         Duration overhead_per_copy, Queueing queueing)
    : time_(time),
      links_(std::move(links)),
      nodes_(nodes),
      routes_(std::move(routes)),
      overhead_(overhead_per_copy),
      queueing_(queueing),
      pairs_(routes_.size()),
      link_states_(links_.size()),
      sharing_(capacities_of(links_)) {
  assert(routes_.size() == nodes_ * nodes_ && "there must be one route per pair of nodes");
  assert(overhead_ >= Duration::zero());
  assert(std::ranges::all_of(routes_,
                             [this](const Route& route) {
                               return route.bytes_per_s >= 0 && std::isfinite(route.bytes_per_s) &&
                                      route.latency >= Duration::zero() &&
                                      std::ranges::all_of(route.links, [&](std::uint32_t link) {
                                        return link < links_.size() && std::ranges::count(route.links, link) == 1;
                                      });
                             }) &&
         "a route must use each of its links once, and have no negative figures");
}

bool LinkNetwork::connected(std::size_t from, std::size_t to) const {
  return from != to && routes_[from * nodes_ + to].bytes_per_s > 0;
}

CopyId LinkNetwork::start(std::size_t from, std::size_t to, Bytes bytes, bool waited_for, Event done) {
  assert(from < nodes_ && to < nodes_ && connected(from, to) && "there must be a way from one node to the other");
  const std::uint32_t index = new_copy();
  Copy& copy = copies_[index];
  copy.done = std::move(done);
  copy.bytes = bytes;
  copy.pair = static_cast<std::uint32_t>(from * nodes_ + to);
  copy.waited_for = waited_for;
  copy.stage = Stage::queued;
  const CopyId id{index, copy.generation};

  Pair& pair = pairs_[copy.pair];
  append(pair, index);
  give(copy.pair);
  pair.statistics.longest_queue = std::max(pair.statistics.longest_queue, pair.statistics.queued);
  return id;
}

void LinkNetwork::make_urgent(CopyId id) {
  if (id.slot >= copies_.size()) return;
  Copy& copy = copies_[id.slot];
  if (copy.generation != id.generation || copy.stage != Stage::queued || copy.waited_for) return;
  Pair& pair = pairs_[copy.pair];
  unlink(pair, id.slot);
  copy.waited_for = true;
  append(pair, id.slot);
}

LinkNetwork::LinkStatistics LinkNetwork::link_statistics(std::size_t link) const {
  const LinkState& state = link_states_[link];
  LinkStatistics statistics = state.statistics;
  if (state.flows > 0) statistics.busy += time_.now() - state.busy_since;
  return statistics;
}

LinkNetwork::PairStatistics LinkNetwork::pair_statistics(std::size_t from, std::size_t to) const {
  const Pair& pair = pairs_[from * nodes_ + to];
  PairStatistics statistics = pair.statistics;
  if (pair.active != kNone) statistics.busy += time_.now() - pair.since;
  return statistics;
}

std::vector<LinkNetwork::Flow> LinkNetwork::flows() const {
  std::vector<Flow> flows;
  flows.reserve(flowing_.size());
  for (const std::uint32_t index : flowing_) {
    const Copy& copy = copies_[index];
    flows.push_back({{index, copy.generation},
                     static_cast<std::uint32_t>(copy.pair / nodes_),
                     static_cast<std::uint32_t>(copy.pair % nodes_),
                     copy.bytes_per_s});
  }
  return flows;
}

std::uint32_t LinkNetwork::new_copy() {
  if (free_.empty()) {
    copies_.emplace_back();
    return static_cast<std::uint32_t>(copies_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

void LinkNetwork::append(Pair& pair, std::uint32_t index) {
  Copy& copy = copies_[index];
  Line& line = copy.waited_for ? pair.urgent : pair.prefetches;
  copy.previous = line.last;
  copy.next = kNone;
  (line.last == kNone ? line.first : copies_[line.last].next) = index;
  line.last = index;
  ++pair.statistics.queued;
  pair.statistics.queued_bytes += copy.bytes;
}

void LinkNetwork::unlink(Pair& pair, std::uint32_t index) {
  const Copy& copy = copies_[index];
  Line& line = copy.waited_for ? pair.urgent : pair.prefetches;
  (copy.previous == kNone ? line.first : copies_[copy.previous].next) = copy.next;
  (copy.next == kNone ? line.last : copies_[copy.next].previous) = copy.previous;
  --pair.statistics.queued;
  pair.statistics.queued_bytes.count -= copy.bytes.count;
}

bool LinkNetwork::takes_next(const Pair& pair) const {
  if (pair.urgent.first == kNone && pair.prefetches.first == kNone) return false;
  if (queueing_ == Queueing::pairs) return pair.active == kNone;
  return pair.urgent.first != kNone ? pair.given_waited_for < kMostWaitedFor : pair.given_prefetches < kMostPrefetches;
}

void LinkNetwork::give(std::uint32_t index) {
  Pair& pair = pairs_[index];
  while (takes_next(pair)) {
    const bool waited_for = pair.urgent.first != kNone;
    const std::uint32_t next = waited_for ? pair.urgent.first : pair.prefetches.first;
    unlink(pair, next);
    ++(waited_for ? pair.given_waited_for : pair.given_prefetches);
    copies_[next].given_as_waited_for = waited_for;
    copies_[next].stage = Stage::given;
    if (queueing_ == Queueing::pairs) {
      begin(next);
      continue;
    }
    time_.after(overhead_, [this, next] {
      given_.push_back(next);
      begin_given();
    });
  }
}

void LinkNetwork::begin_given() {
  for (auto one = given_.begin(); one != given_.end(); ++one) {
    if (copies_[*one].stage != Stage::given) continue;
    const auto waits_for = [&](std::uint32_t before) { return exclude(copies_[before].pair, copies_[*one].pair); };
    if (std::none_of(given_.begin(), one, waits_for)) begin(*one);
  }
}

bool LinkNetwork::exclude(std::uint32_t one, std::uint32_t other) const {
  if (one == other) return true;
  const auto keeps_out = [this](std::size_t between, std::size_t into) {
    const std::size_t from = between / nodes_;
    const std::size_t to = between % nodes_;
    return from != 0 && to != 0 && (into % nodes_ == from || into % nodes_ == to);
  };
  return keeps_out(one, other) || keeps_out(other, one);
}

void LinkNetwork::begin(std::uint32_t index) {
  Pair& pair = pairs_[copies_[index].pair];
  pair.active = index;
  pair.since = time_.now();
  copies_[index].stage = Stage::latency;
  const Duration overhead = queueing_ == Queueing::pairs ? overhead_ : Duration::zero();
  time_.after(routes_[copies_[index].pair].latency + overhead, [this, index] { begin_flow(index); });
}

void LinkNetwork::begin_flow(std::uint32_t index) {
  Copy& copy = copies_[index];
  copy.stage = Stage::flowing;
  if (copy.bytes.count == 0) {
    end_copy(index);
    return;
  }
  copy.left = static_cast<double>(copy.bytes.count);
  copy.bytes_per_s = 0;
  copy.since = time_.now();
  copy.finish = TimeStamp::max();
  const Route& route = routes_[copy.pair];
  flowing_.push_back(index);
  demands_.push_back({route.links, route.bytes_per_s});
  for (const std::uint32_t link : route.links) {
    if (link_states_[link].flows++ == 0) link_states_[link].busy_since = time_.now();
  }
  share();
}

void LinkNetwork::complete_due() {
  completion_time_ = TimeStamp::max();
  for (std::size_t i = 0; i < flowing_.size();) {
    const std::uint32_t index = flowing_[i];
    const Copy& copy = copies_[index];
    if (copy.finish > time_.now()) {
      ++i;
      continue;
    }
    flowing_.erase(flowing_.begin() + static_cast<std::ptrdiff_t>(i));
    demands_.erase(demands_.begin() + static_cast<std::ptrdiff_t>(i));
    for (const std::uint32_t link : routes_[copy.pair].links) {
      LinkState& state = link_states_[link];
      if (--state.flows == 0) state.statistics.busy += time_.now() - state.busy_since;
    }
    end_copy(index);
  }
  share();
}

void LinkNetwork::end_copy(std::uint32_t index) {
  Copy& copy = copies_[index];
  const std::uint32_t pair_index = copy.pair;
  Pair& pair = pairs_[pair_index];
  for (const std::uint32_t link : routes_[pair_index].links) link_states_[link].statistics.bytes += copy.bytes;
  pair.statistics.bytes += copy.bytes;
  ++pair.statistics.copies;
  pair.statistics.busy += time_.now() - pair.since;
  pair.active = kNone;
  // `done` is called in a separate event, so that it always finds the network in a consistent state.
  time_.after(Duration::zero(), std::move(copy.done));
  copy.stage = Stage::free;
  ++copy.generation;
  free_.push_back(index);
  --(copy.given_as_waited_for ? pair.given_waited_for : pair.given_prefetches);
  give(pair_index);
  if (queueing_ == Queueing::pairs) return;
  given_.erase(std::ranges::find(given_, index));
  begin_given();
}

void LinkNetwork::share() {
  const TimeStamp now = time_.now();
  const auto rates = sharing_.share(demands_);
  TimeStamp next = TimeStamp::max();
  for (std::size_t i = 0; i < flowing_.size(); ++i) {
    Copy& copy = copies_[flowing_[i]];
    // A copy whose rate does not change keeps its completion time: computing it again could only add rounding errors. A
    // copy that is due now keeps its time, too, because rounding may have left some of its bytes.
    if (copy.bytes_per_s != rates[i] && copy.finish > now) {
      copy.left = std::max(0.0, copy.left - copy.bytes_per_s * seconds(now - copy.since));
      copy.since = now;
      copy.finish = finish_of(now, copy.left, rates[i]);
    }
    copy.bytes_per_s = rates[i];
    next = std::min(next, copy.finish);
  }
  note_loads();
  if (next == completion_time_) return;
  if (completion_time_ != TimeStamp::max()) time_.cancel(completion_);
  completion_time_ = next;
  if (next != TimeStamp::max()) completion_ = time_.at(next, [this] { complete_due(); });
}

void LinkNetwork::note_loads() {
  for (const std::uint32_t index : flowing_) {
    for (const std::uint32_t link : routes_[copies_[index].pair].links) link_states_[link].load = 0;
  }
  for (const std::uint32_t index : flowing_) {
    const Copy& copy = copies_[index];
    for (const std::uint32_t link : routes_[copy.pair].links) {
      LinkState& state = link_states_[link];
      state.load += copy.bytes_per_s;
      state.statistics.highest_load = std::max(state.statistics.highest_load, state.load / links_[link].bytes_per_s);
    }
  }
}

}  // namespace troupe::platform
