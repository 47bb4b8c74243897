/// Keeps refused connections open until their clients have read the reason.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "platform/files/file_descriptor.hpp"

namespace troupe::service {

/// Returns the bytes that end a connection and give a client of gRPC the reason: HTTP/2's frames SETTINGS and GOAWAY.
[[nodiscard]] std::string goodbye_for_grpc(std::string_view reason);

/// Keeps refused connections for a while. If a socket is closed while it has unread bytes, the connection is reset, and
/// the client may lose the answer that was sent to it. A refused connection therefore stays open, and its incoming
/// bytes are dropped, until the client closes it or some time has passed. Only one thread may use this class.
class Refusals {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kReadingTime{500};
  static constexpr std::size_t kMost = 64;

  /// Sends `answer` without blocking and keeps the connection. If more than `kMost` are kept, closes the oldest.
  void refuse(platform::FileDescriptor connection, std::string_view answer, Clock::time_point now);
  /// Closes the connections that the client has closed or whose time is over.
  void look(Clock::time_point now);
  [[nodiscard]] bool empty() const { return lingering_.empty(); }

 private:
  struct Lingering {
    platform::FileDescriptor connection;
    Clock::time_point latest;
  };
  std::deque<Lingering> lingering_;
};

}  // namespace troupe::service
