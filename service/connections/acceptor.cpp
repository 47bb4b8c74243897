#include "service/connections/acceptor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

namespace troupe::service {

using platform::FileDescriptor;

Result<std::unique_ptr<Acceptor>> Acceptor::start(std::vector<Place> places, const AccessRule& rule,
                                                  const ConnectionGate::Limits& limits, LogSink log) {
  FileDescriptor stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.valid()) {
    return Failure{ErrorCode::io, fmt::format("cannot take connections: {}", std::generic_category().message(errno))};
  }
  return std::unique_ptr<Acceptor>(new Acceptor(std::move(places), rule, limits, std::move(log), std::move(stop)));
}

Acceptor::Acceptor(std::vector<Place> places, const AccessRule& rule, const ConnectionGate::Limits& limits, LogSink log,
                   FileDescriptor stop)
    : rule_(rule), log_(std::move(log)), stop_(std::move(stop)) {
  for (Place& place : places) doors_.push_back({std::move(place), std::make_unique<ConnectionGate>(limits)});
  thread_ = std::thread([this] { run(); });
}

Acceptor::~Acceptor() {
  const std::uint64_t one = 1;
  // An eventfd that nobody has written to takes this.
  [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

int Acceptor::patience_ms(bool full) const {
  constexpr int kPauseMs = 100;
  constexpr int kForever = -1;
  if (full || !refusals_.empty()) return kPauseMs;
  std::optional<Clock::time_point> next;
  for (const Door& door : doors_) {
    const auto due = door.gate->next_due();
    if (due && (!next || *due < *next)) next = due;
  }
  if (!next) return kForever;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 1, kPauseMs));
}

void Acceptor::run() {
  constexpr int kPauseMs = 100;
  std::vector<pollfd> waiting{{stop_.get(), POLLIN, 0}};
  for (const Door& door : doors_) waiting.push_back({door.place.socket.get(), POLLIN, 0});
  bool full = false;
  for (;;) {
    // While there is no room, connections wait in the queue of the socket, which would be ready all the time.
    const auto count = static_cast<nfds_t>(full ? 1 : waiting.size());
    const int ready = ::poll(waiting.data(), count, patience_ms(full));
    // Short of memory, say: there is nothing to do but to try again.
    if (ready < 0 && errno != EINTR) {
      if (!full && log_)
        log_(LogLevel::error, "connections cannot be waited for",
             std::array{LogField{"reason", std::generic_category().message(errno)}});
      std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
      full = true;
      continue;
    }
    if (ready > 0 && waiting[0].revents != 0) return;
    const bool was_full = std::exchange(full, false);
    if (ready < 0) continue;
    look_after_waiting();
    for (std::size_t i = 0; i < doors_.size(); ++i) {
      if ((was_full || waiting[i + 1].revents != 0) && !accept(doors_[i])) full = true;
    }
    if (full && !was_full && log_) log_(LogLevel::error, "no room for connections", {});
  }
}

void Acceptor::look_after_waiting() {
  const Clock::time_point now = Clock::now();
  refusals_.look(now);
  for (Door& door : doors_) {
    for (ConnectionGate::Admitted& one : door.gate->due(now)) hand_over(door, std::move(one.connection), one.peer);
  }
}

bool Acceptor::accept(Door& door) {
  // Other places get their turn.
  constexpr int kAtOnce = 64;
  for (int i = 0; i < kAtOnce; ++i) {
    FileDescriptor connection(::accept4(door.place.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.valid()) {
      admit(door, std::move(connection));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return false;
    // Nobody waits any more, or the one that waited is gone.
    if (errno != ECONNABORTED && errno != EINTR) return true;
  }
  return true;
}

void Acceptor::admit(Door& door, FileDescriptor connection) {
  const Result<Peer> peer = peer_of(connection.get());
  if (peer && rule_.admits(peer.value())) {
    const Clock::time_point now = Clock::now();
    switch (door.gate->enter(connection, peer.value(), now)) {
      case ConnectionGate::Entry::now: return hand_over(door, std::move(connection), peer.value());
      case ConnectionGate::Entry::waits: return;
      case ConnectionGate::Entry::refused: break;
    }
    const std::string why = fmt::format(
        "user {} connects more often than {} times a second (limits.connections_per_s), and {} of his "
        "connections wait: keep connections open, or wait a second",
        peer.value().user, door.gate->limits().per_second, door.gate->limits().most_waiting);
    refusals_.refuse(std::move(connection), door.place.refusal(why), now);
    return tell_refused(peer.value(), why);
  }
  const Clock::time_point at = Clock::now();
  if (!log_ || (peer && told_.try_take(peer.value().user, at) > at)) return;
  const std::array<LogField, 2> fields{{{"user", peer ? std::to_string(peer.value().user) : "unknown"},
                                        {"process", peer ? std::to_string(peer.value().process) : "unknown"}}};
  log_(LogLevel::warning, "connection refused: no permission", fields);
}

void Acceptor::hand_over(Door& door, FileDescriptor connection, const Peer& peer) {
  const std::optional<std::string> why = door.place.handler(connection, peer);
  if (!why) return;
  refusals_.refuse(std::move(connection), door.place.refusal(*why), Clock::now());
  tell_refused(peer, *why);
}

void Acceptor::tell_refused(const Peer& peer, const std::string& why) {
  const Clock::time_point now = Clock::now();
  if (!log_ || told_.try_take(peer.user, now) > now) return;
  const std::array<LogField, 3> fields{
      {{"user", std::to_string(peer.user)}, {"process", std::to_string(peer.process)}, {"reason", why}}};
  log_(LogLevel::warning, "connection refused", fields);
}

}  // namespace troupe::service
