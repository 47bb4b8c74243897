/// One client's session at one moment: what the service shows of it, and what clients are told.
#pragma once

#include <cstdint>
#include <string>

#include "proto/units.hpp"

namespace troupe::remote {

struct SessionView {
  std::uint64_t id = 0;
  /// What the program calls itself.
  std::string name;
  /// Of the process at the other end of the socket.
  std::uint32_t user = 0;
  /// For people; empty where an older service says the number alone.
  std::string user_name = {};
  std::int64_t process = 0;
  double weight = 1;
  /// "running", "cancelled", "gone" (its client is, and its last kernels still run), "done", "lost" (its client went
  /// without a word: it was killed, say).
  std::string state;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t failed = 0;
  /// Time that workers have spent on its tasks.
  Duration worker_time{};
  /// Shared memory that it has.
  Bytes memory;
  Duration age{};
};

}  // namespace troupe::remote
