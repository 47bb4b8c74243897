/// The state of one client's session at one moment, as the service shows it to people and reports it to clients.
#pragma once

#include <cstdint>
#include <string>

#include "troupe/units.hpp"

namespace troupe::remote {

struct SessionView {
  std::uint64_t id = 0;
  /// The name that the program gave.
  std::string name;
  /// The user of the process at the other end of the socket.
  std::uint32_t user = 0;
  /// The user's name, for people; empty if an older service sends only the number.
  std::string user_name = {};
  std::int64_t process = 0;
  double weight = 1;
  /// The state of the session: "running", "cancelled", "gone" (the client has left, and its last kernels still run),
  /// "done", "lost" (the client ended without a goodbye, for example because it was killed).
  std::string state;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t failed = 0;
  /// The time that workers have spent on the session's tasks.
  Duration worker_time{};
  /// The shared memory that the client has.
  Bytes memory;
  Duration age{};
};

}  // namespace troupe::remote
