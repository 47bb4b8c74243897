#include "service/connections/connection_gate.hpp"

#include <poll.h>

#include <algorithm>

namespace troupe::service {
namespace {

bool has_gone(const platform::FileDescriptor& connection) {
  pollfd state{connection.get(), 0, 0};
  return ::poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace

ConnectionGate::Clock::time_point ConnectionGate::try_admit(std::uint32_t user, Clock::time_point now) {
  std::erase_if(last_, [&](const auto& one) { return now - one.second >= limits_.gap; });
  if (const auto last = last_.find(user); last != last_.end()) return last->second + limits_.gap;
  if (ready_at_) {
    if (const Clock::time_point ready = ready_at_(user, now); ready > now) return ready;
  }
  const Clock::time_point when = rates_.try_take(user, now);
  if (when <= now && limits_.gap.count() > 0) last_[user] = now;
  return when;
}

ConnectionGate::Entry ConnectionGate::enter(platform::FileDescriptor& connection, const Peer& peer,
                                            Clock::time_point now) {
  if (has_gone(connection)) return Entry::gone;
  const auto found = queues_.find(peer.user);
  if (found == queues_.end()) {
    const Clock::time_point when = try_admit(peer.user, now);
    if (when <= now) return Entry::now;
    Queue& queue = queues_[peer.user];
    queue.due = when;
    queue.waiting.push_back({std::move(connection), peer});
    return Entry::waits;
  }
  auto& waiting = found->second.waiting;
  // Before a new connection is refused, waiting connections that their clients have closed are dropped.
  if (waiting.size() >= limits_.most_waiting) {
    std::erase_if(waiting, [](const Admitted& one) { return has_gone(one.connection); });
  }
  if (waiting.size() >= limits_.most_waiting) return Entry::refused;
  waiting.push_back({std::move(connection), peer});
  return Entry::waits;
}

std::vector<ConnectionGate::Admitted> ConnectionGate::due(Clock::time_point now) {
  std::vector<Admitted> admitted;
  for (auto it = queues_.begin(); it != queues_.end();) {
    auto& [user, queue] = *it;
    while (!queue.waiting.empty() && queue.due <= now) {
      if (has_gone(queue.waiting.front().connection)) {
        queue.waiting.pop_front();
        continue;
      }
      queue.due = try_admit(user, now);
      if (queue.due > now) break;
      admitted.push_back(std::move(queue.waiting.front()));
      queue.waiting.pop_front();
    }
    it = queue.waiting.empty() ? queues_.erase(it) : std::next(it);
  }
  return admitted;
}

std::optional<ConnectionGate::Clock::time_point> ConnectionGate::next_due() const {
  std::optional<Clock::time_point> next;
  for (const auto& [user, queue] : queues_) {
    if (!next || queue.due < *next) next = queue.due;
  }
  return next;
}

}  // namespace troupe::service
