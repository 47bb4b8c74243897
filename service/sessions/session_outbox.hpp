/// The messages that wait to be sent to one client.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "service/sessions/wire_checks.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// The events to send, other than ends of tasks, in order. Only one thread may use this class.
class SessionOutbox {
 public:
  v1::Event& add() { return events_.emplace_back(); }
  void reply(std::uint64_t request, const std::optional<Failure>& problem = std::nullopt, std::uint64_t count = 0) {
    v1::Reply& reply = *add().mutable_reply();
    reply.set_request(request);
    reply.set_count(count);
    if (problem) fill(*reply.mutable_problem(), *problem);
  }

  [[nodiscard]] std::size_t size() const { return events_.size(); }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  /// Moves up to `kMost` events to a message.
  void move_to(v1::ServiceMessage& message) {
    constexpr std::size_t kMost = 1024;
    for (std::size_t i = 0; i < kMost && !events_.empty(); ++i) {
      *message.add_events() = std::move(events_.front());
      events_.pop_front();
    }
  }

 private:
  std::deque<v1::Event> events_;
};

}  // namespace troupe::service
