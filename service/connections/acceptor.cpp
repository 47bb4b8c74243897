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

namespace {

constexpr int kPauseMs = 100;
/// The pause after a flood. During one pause, a socket takes at most 64 connections from users who exceed their rate.
constexpr int kFloodPauseMs = 5;

}  // namespace

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
  for (Place& place : places) {
    ConnectionGate::Limits of_gate = limits;
    // The gap between connections gives time to count the calls of the earlier connection. A place without `ready_at`
    // does not count calls and needs no gap.
    if (!place.ready_at) of_gate.gap = {};
    auto gate = std::make_unique<ConnectionGate>(of_gate, place.ready_at);
    doors_.push_back({std::move(place), std::move(gate)});
  }
  thread_ = std::thread([this] { run(); });
}

Acceptor::~Acceptor() {
  const std::uint64_t one = 1;
  // This write wakes the thread. The write cannot fail, because nobody has written to the eventfd before.
  [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

int Acceptor::patience_ms(Rush most) const {
  constexpr int kForever = -1;
  int patience = kForever;
  const auto at_most = [&patience](int ms) { patience = patience == kForever ? ms : std::min(patience, ms); };
  if (most == Rush::full || !refusals_.empty()) at_most(kPauseMs);
  if (most == Rush::flood) at_most(kFloodPauseMs);
  for (const Door& door : doors_) {
    const auto due = door.gate->next_due();
    if (!due) continue;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - Clock::now()).count();
    at_most(static_cast<int>(std::clamp<std::int64_t>(left, 1, kPauseMs)));
  }
  return patience;
}

void Acceptor::run() {
  std::vector<pollfd> waiting{{stop_.get(), POLLIN, 0}};
  for (const Door& door : doors_) waiting.push_back({door.place.socket.get(), POLLIN, 0});
  std::vector<Rush> rushes(doors_.size(), Rush::none);
  bool was_full = false;
  for (;;) {
    // A socket with a rush (`flood` or `full`) is not polled: connections wait in its queue, so poll would return at
    // once.
    for (std::size_t i = 0; i < doors_.size(); ++i) {
      waiting[i + 1].fd = rushes[i] == Rush::none ? doors_[i].place.socket.get() : -1;
    }
    const bool any = std::ranges::find(rushes, Rush::none) != rushes.end();
    const int ready = ::poll(waiting.data(), any ? waiting.size() : 1, patience_ms(*std::ranges::max_element(rushes)));
    // The only remedy for an error such as lack of memory is to try again after a pause.
    if (ready < 0 && errno != EINTR) {
      if (!was_full && log_)
        log_(LogLevel::error, "connections cannot be waited for",
             std::array{LogField{"reason", std::generic_category().message(errno)}});
      std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
      was_full = true;
      std::ranges::fill(rushes, Rush::full);
      continue;
    }
    if (ready > 0 && waiting[0].revents != 0) return;
    if (ready < 0) continue;
    look_after_waiting();
    for (std::size_t i = 0; i < doors_.size(); ++i) {
      const bool has_some = rushes[i] != Rush::none || waiting[i + 1].revents != 0;
      rushes[i] = has_some ? accept(doors_[i]) : Rush::none;
    }
    const bool full = std::ranges::find(rushes, Rush::full) != rushes.end();
    if (full && !std::exchange(was_full, full) && log_) log_(LogLevel::error, "no room for connections", {});
    was_full = full;
  }
}

void Acceptor::look_after_waiting() {
  const Clock::time_point now = Clock::now();
  refusals_.look(now);
  for (Door& door : doors_) {
    for (ConnectionGate::Admitted& one : door.gate->due(now)) hand_over(door, std::move(one.connection), one.peer);
  }
}

Acceptor::Rush Acceptor::accept(Door& door) {
  // One call takes at most this many connections, so that the other listening sockets get their turn.
  constexpr int kAtOnce = 64;
  int let_in = 0;
  for (int i = 0; i < kAtOnce; ++i) {
    FileDescriptor connection(::accept4(door.place.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.valid()) {
      let_in += admit(door, std::move(connection)) ? 1 : 0;
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return Rush::full;
    // After ECONNABORTED or EINTR, other connections may still wait in the queue. After any other error, none waits.
    if (errno != ECONNABORTED && errno != EINTR) return Rush::none;
  }
  return let_in < kAtOnce / 2 ? Rush::flood : Rush::none;
}

bool Acceptor::admit(Door& door, FileDescriptor connection) {
  const Result<Peer> peer = peer_of(connection.get());
  if (peer && rule_.admits(peer.value())) {
    const Clock::time_point now = Clock::now();
    switch (door.gate->enter(connection, peer.value(), now)) {
      case ConnectionGate::Entry::now: hand_over(door, std::move(connection), peer.value()); return true;
      case ConnectionGate::Entry::waits:
      case ConnectionGate::Entry::gone: return false;
      case ConnectionGate::Entry::refused: break;
    }
    const std::string why = fmt::format(
        "user {} connects more often than {} times a second (limits.connections_per_s), and {} of his "
        "connections wait: keep connections open, or wait a second",
        peer.value().user, door.gate->limits().per_second, door.gate->limits().most_waiting);
    refusals_.refuse(std::move(connection), door.place.refusal(why), now);
    tell_refused(peer.value(), why);
    return false;
  }
  const Clock::time_point at = Clock::now();
  if (!log_ || (peer && told_.try_take(peer.value().user, at) > at)) return false;
  const std::array<LogField, 2> fields{{{"user", peer ? std::to_string(peer.value().user) : "unknown"},
                                        {"process", peer ? std::to_string(peer.value().process) : "unknown"}}};
  log_(LogLevel::warning, "connection refused: no permission", fields);
  return false;
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
