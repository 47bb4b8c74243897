#include "service/connections/acceptor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

namespace troupe::service {

using platform::FileDescriptor;

Result<std::unique_ptr<Acceptor>> Acceptor::start(std::vector<Place> places, const AccessRule& rule, LogSink log) {
  FileDescriptor stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.valid()) {
    return Failure{ErrorCode::io, fmt::format("cannot take connections: {}", std::generic_category().message(errno))};
  }
  return std::unique_ptr<Acceptor>(new Acceptor(std::move(places), rule, std::move(log), std::move(stop)));
}

Acceptor::Acceptor(std::vector<Place> places, const AccessRule& rule, LogSink log, FileDescriptor stop)
    : places_(std::move(places)), rule_(rule), log_(std::move(log)), stop_(std::move(stop)) {
  thread_ = std::thread([this] { run(); });
}

Acceptor::~Acceptor() {
  const std::uint64_t one = 1;
  // An eventfd that nobody has written to takes this.
  [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

void Acceptor::run() {
  constexpr int kForever = -1;
  constexpr int kPauseMs = 100;
  std::vector<pollfd> waiting{{stop_.get(), POLLIN, 0}};
  for (const Place& place : places_) waiting.push_back({place.socket.get(), POLLIN, 0});
  bool full = false;
  for (;;) {
    // While there is no room, connections wait in the queue of the socket, which would be ready all the time.
    const auto count = static_cast<nfds_t>(full ? 1 : waiting.size());
    const int ready = ::poll(waiting.data(), count, full ? kPauseMs : kForever);
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
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if ((was_full || waiting[i + 1].revents != 0) && !accept(places_[i])) full = true;
    }
    if (full && !was_full && log_) log_(LogLevel::error, "no room for connections", {});
  }
}

bool Acceptor::accept(const Place& place) {
  // Other places get their turn.
  constexpr int kAtOnce = 64;
  for (int i = 0; i < kAtOnce; ++i) {
    FileDescriptor connection(::accept4(place.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.valid()) {
      admit(place, std::move(connection));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return false;
    // Nobody waits any more, or the one that waited is gone.
    if (errno != ECONNABORTED && errno != EINTR) return true;
  }
  return true;
}

void Acceptor::admit(const Place& place, FileDescriptor connection) {
  const Result<Peer> peer = peer_of(connection.get());
  if (peer && rule_.admits(peer.value())) return place.handler(std::move(connection), peer.value());
  if (!log_) return;
  const std::array<LogField, 2> fields{{{"user", peer ? std::to_string(peer.value().user) : "unknown"},
                                        {"process", peer ? std::to_string(peer.value().process) : "unknown"}}};
  log_(LogLevel::warning, "connection refused: no permission", fields);
}

}  // namespace troupe::service
