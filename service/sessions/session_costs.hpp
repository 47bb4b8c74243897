/// Estimates of the service's memory for the objects of clients, for the accounts of their users.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>

#include "service/sessions/task_columns.hpp"

namespace troupe::service::costs {

// These are generous estimates in bytes, with the graph's records, the session's tables and the allocator's overhead.
inline constexpr std::uint64_t kTask = 768;
/// The cost of each access of a task beyond the few that the task's record has room for.
inline constexpr std::uint64_t kAccess = 96;
inline constexpr std::uint64_t kHandle = 1024;
/// The cost of a request that waits, is held or is to be answered. A held request is a task of the graph with its
/// tables.
inline constexpr std::uint64_t kRequest = 1280;
inline constexpr std::uint64_t kRecording = 4096;
inline constexpr std::uint64_t kCodelet = 2048;
/// After parsing, list elements with the shortest encoding take this many times their bytes in the message.
inline constexpr std::uint64_t kParsed = 32;

/// Returns what an unusually large task costs in addition to `kTask`.
[[nodiscard]] inline std::uint64_t beyond_usual(const TaskRow& row) {
  constexpr std::size_t kUsualAccesses = 4;
  std::uint64_t bytes = row.handles.size() > kUsualAccesses ? (row.handles.size() - kUsualAccesses) * kAccess : 0;
  if (row.detail != nullptr) {
    bytes += kAccess * static_cast<std::uint64_t>(row.detail->after_size()) + row.detail->name().size();
  }
  return bytes;
}

[[nodiscard]] std::uint64_t of_codelet(const v1::OpenCodelet& message);

/// Returns true if the operation lasts until tasks have ended, or makes the client hold data.
[[nodiscard]] bool is_request(const v1::Operation& operation);

/// Returns the cost of the objects that an operation is going to add; 0 if it does not depend on what the client says.
[[nodiscard]] std::uint64_t of_operation(const v1::Operation& operation);

}  // namespace troupe::service::costs
