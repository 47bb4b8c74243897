/// Connections that were refused, until their clients have read why.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "platform/files/file_descriptor.hpp"

namespace troupe::service {

/// Returns the end of a connection with a reason, as a client of gRPC understands it: HTTP/2's SETTINGS and GOAWAY.
[[nodiscard]] std::string goodbye_for_grpc(std::string_view reason);

/// Keeps refused connections for a while. A socket that is closed while it has unread bytes is reset, and the other
/// side may lose what was sent to it. So a refused connection stays, and all that comes is thrown away, until the
/// client closes it or some time has passed. Only one thread may use this.
class Refusals {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kReadingTime{500};
  static constexpr std::size_t kMost = 64;

  /// Sends `answer` without blocking and keeps the connection. If too many are kept, the oldest one is closed.
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
