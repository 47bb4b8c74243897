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

/// Keeps refused connections for a while. If a socket is closed whose other side has sent something, it is reset, and
/// what was sent before may be lost there. So a refused connection stays, and all that comes is thrown away, until the
/// client closes it or some time has passed. One thread.
class Refusals {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kReadingTime{500};
  static constexpr std::size_t kMost = 64;

  /// Sends `answer`, at once or never; the oldest is closed where there are too many.
  void refuse(platform::FileDescriptor connection, std::string_view answer, Clock::time_point now);
  /// Closes those that have been read, or had their time.
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
