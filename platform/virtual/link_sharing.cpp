#include "platform/virtual/link_sharing.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace troupe::platform {

LinkSharing::LinkSharing(std::vector<double> capacities)
    : capacities_(std::move(capacities)), states_(capacities_.size()) {
  assert(std::ranges::all_of(capacities_, [](double capacity) { return capacity > 0; }));
}

std::span<const double> LinkSharing::share(std::span<const SharedFlow> flows) {
  begin(flows);
  while (!open_.empty()) {
    const double rate = least_rate();
    if (!settle_limited(flows, rate)) settle_on_tightest(flows, rate);
  }
  return rates_;
}

void LinkSharing::begin(std::span<const SharedFlow> flows) {
  used_.clear();
  open_.clear();
  rates_.assign(flows.size(), 0);
  for (State& state : states_) state.open = 0;
  for (std::uint32_t index = 0; index < flows.size(); ++index) {
    assert(flows[index].limit > 0 && flows[index].limit < std::numeric_limits<double>::infinity());
    open_.push_back(index);
    for (const std::uint32_t link : flows[index].links) {
      if (states_[link].open++ == 0) {
        states_[link].left = capacities_[link];
        used_.push_back(link);
      }
    }
  }
}

double LinkSharing::least_rate() {
  double least = std::numeric_limits<double>::infinity();
  std::erase_if(used_, [this](std::uint32_t link) { return states_[link].open == 0; });
  for (const std::uint32_t link : used_) {
    State& state = states_[link];
    state.rate = state.left / state.open;
    least = std::min(least, state.rate);
  }
  for (const std::uint32_t link : used_) states_[link].tightest = states_[link].rate == least;
  return least;
}

bool LinkSharing::settle_limited(std::span<const SharedFlow> flows, double rate) {
  const auto settled = std::erase_if(open_, [&](std::uint32_t index) {
    if (flows[index].limit > rate) return false;
    settle(flows[index], index, flows[index].limit);
    return true;
  });
  return settled > 0;
}

void LinkSharing::settle_on_tightest(std::span<const SharedFlow> flows, double rate) {
  std::erase_if(open_, [&](std::uint32_t index) {
    const SharedFlow& flow = flows[index];
    if (std::ranges::none_of(flow.links, [this](std::uint32_t link) { return states_[link].tightest; })) return false;
    settle(flow, index, rate);
    return true;
  });
}

void LinkSharing::settle(const SharedFlow& flow, std::uint32_t index, double rate) {
  rates_[index] = rate;
  for (const std::uint32_t link : flow.links) {
    states_[link].left -= rate;
    --states_[link].open;
  }
}

}  // namespace troupe::platform
