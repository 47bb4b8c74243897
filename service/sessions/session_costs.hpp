/// Estimates of the memory that the service needs for the objects of clients. The service charges the users' accounts
/// for this memory.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>

#include "service/sessions/task_columns.hpp"

namespace troupe::service::costs {

// These are generous estimates in bytes. They include the graph's records, the session's tables and the allocator's
// overhead.
inline constexpr std::uint64_t kTask = 768;
/// The cost of each further access of a task. The task's record has room for the first few accesses.
inline constexpr std::uint64_t kAccess = 96;
inline constexpr std::uint64_t kHandle = 1024;
/// The cost of a new part that overlaps a former part which tasks still use, as `TaskGraph::late_divisions` counts
/// them: it counts the records of both, and the task by which the new part gets the content.
inline constexpr std::uint64_t kDivision = kHandle + kTask + kAccess;
/// The cost of what a nested task has in addition, and of a child, which may be nested itself.
inline constexpr std::uint64_t kNested = 768;
inline constexpr std::uint64_t kChild = kTask + kNested;
/// The cost of a request that waits, holds acquired data or has a reply to be sent. A request that holds data is a task
/// of the graph with its tables.
inline constexpr std::uint64_t kRequest = 1280;
inline constexpr std::uint64_t kRecording = 4096;
inline constexpr std::uint64_t kCodelet = 2048;
/// The most bytes that a list element takes after parsing, for each byte that the element takes in the message.
inline constexpr std::uint64_t kParsed = 32;

/// Returns the cost of the properties that only few tasks have.
[[nodiscard]] inline std::uint64_t of_detail(const v1::TaskDetail& detail) {
  const auto lists = static_cast<std::uint64_t>(detail.after_size()) + static_cast<std::uint64_t>(detail.weak_size());
  return kAccess * lists + detail.name().size() + (detail.nested() ? kNested : 0);
}

/// Returns the cost, in addition to `kTask`, of a task with many accesses or with properties that only few tasks have.
[[nodiscard]] inline std::uint64_t beyond_usual(const TaskRow& row) {
  constexpr std::size_t kUsualAccesses = 4;
  std::uint64_t bytes = row.handles.size() > kUsualAccesses ? (row.handles.size() - kUsualAccesses) * kAccess : 0;
  if (row.detail != nullptr) {
    bytes += of_detail(*row.detail);
  }
  return bytes;
}

[[nodiscard]] std::uint64_t of_codelet(const v1::OpenCodelet& message);

/// Returns true if the operation lasts until tasks have ended, or lets the client acquire data.
[[nodiscard]] bool is_request(const v1::Operation& operation);

/// Returns the cost of the objects that an operation is going to add; 0 for operations that add none.
[[nodiscard]] std::uint64_t of_operation(const v1::Operation& operation);

}  // namespace troupe::service::costs
