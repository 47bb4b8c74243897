#include "tests/opencl/random/random_order.hpp"

#include <algorithm>
#include <utility>

namespace troupe::tests {

namespace {

void put(std::vector<bool>& bits, int index) {
  const auto at = static_cast<std::size_t>(index);
  if (bits.size() <= at) bits.resize(at + 1);
  bits[at] = true;
}

bool has(const std::vector<bool>& bits, int index) {
  const auto at = static_cast<std::size_t>(index);
  return at < bits.size() && bits[at];
}

void unite(std::vector<bool>& to, const std::vector<bool>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i]) to[i] = true;
  }
}

bool conflict(const std::vector<RandomUse>& a, const std::vector<RandomUse>& b) {
  return std::ranges::any_of(a, [&b](const RandomUse& one) {
    return std::ranges::any_of(b, [&](const RandomUse& u) { return one.conflicts(u); });
  });
}

}  // namespace

void RandomOrder::Known::add(const Known& other) {
  unite(commands, other.commands);
  unite(user_events, other.user_events);
}

int RandomOrder::add_queue(bool in_order) {
  queues_.push_back({in_order, {}, -1});
  return static_cast<int>(queues_.size()) - 1;
}

void RandomOrder::add_command(Known& known, int command) const {
  known.add(commands_[static_cast<std::size_t>(command)].before);
  put(known.commands, command);
}

RandomOrder::Plan RandomOrder::plan(int queue, const std::vector<RandomUse>& uses) const {
  Plan plan{finished_, {}};
  const Queue& on = queues_[static_cast<std::size_t>(queue)];
  if (on.in_order && !on.commands.empty()) add_command(plan.before, on.commands.back());
  if (on.barrier >= 0) add_command(plan.before, on.barrier);
  // The latest command comes first, because it may wait for earlier ones already.
  for (int command = size() - 1; command >= 0; --command) {
    if (has(plan.before.commands, command)) continue;
    if (conflict(uses, commands_[static_cast<std::size_t>(command)].uses)) wait_for_command(plan, command);
  }
  return plan;
}

void RandomOrder::wait_for_command(Plan& plan, int command) const {
  plan.waits.push_back(command);
  add_command(plan.before, command);
}

void RandomOrder::wait_for_user_event(Plan& plan, int user_event) const { put(plan.before.user_events, user_event); }

void RandomOrder::wait_for_queue(Plan& plan, int queue) const {
  for (const int command : queues_[static_cast<std::size_t>(queue)].commands) add_command(plan.before, command);
}

int RandomOrder::add(int queue, Plan plan, std::vector<RandomUse> uses, bool holds_later) {
  const int number = size();
  Queue& on = queues_[static_cast<std::size_t>(queue)];
  on.commands.push_back(number);
  if (holds_later) on.barrier = number;
  commands_.push_back({queue, std::move(plan.before), std::move(uses)});
  return number;
}

int RandomOrder::add_user_event() {
  set_.push_back(false);
  return static_cast<int>(set_.size()) - 1;
}

bool RandomOrder::held(const Known& before) const {
  for (std::size_t i = 0; i < before.user_events.size(); ++i) {
    if (before.user_events[i] && !set_[i]) return true;
  }
  return false;
}

bool RandomOrder::held_queue(int queue) const {
  return std::ranges::any_of(queues_[static_cast<std::size_t>(queue)].commands,
                             [this](int command) { return held(command); });
}

void RandomOrder::finished(int command) { add_command(finished_, command); }

void RandomOrder::finished_queue(int queue) {
  for (const int command : queues_[static_cast<std::size_t>(queue)].commands) finished(command);
}

}  // namespace troupe::tests
