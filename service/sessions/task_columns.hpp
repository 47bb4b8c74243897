/// The tasks of one message, row by row.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "service/sessions/session_codelets.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

struct TaskRow {
  const SessionCodelet* codelet = nullptr;
  /// The client's numbers of the data, and an access mode for each; `modes` is empty if the codelet fixes them.
  std::span<const std::uint64_t> handles = {};
  std::string_view modes = {};
  /// The bytes of the codelet's arguments.
  const char* arguments = nullptr;
  int priority = 0;
  /// The rarely used properties; null if the task has none.
  const v1::TaskDetail* detail = nullptr;
};

/// Reads the tasks of a `Tasks` message, which has one list per property. The message and the codelets must outlive
/// this object.
class TaskColumns {
 public:
  /// Checks that the lengths of the lists agree. Fails if the client broke the protocol.
  static Result<TaskColumns> read(const v1::Tasks& message, const SessionCodelets& codelets);

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(message_->codelet_size()); }
  /// Returns the next row; can be called `size()` times.
  TaskRow next();

 private:
  TaskColumns(const v1::Tasks& message, const SessionCodelets& codelets) : message_(&message), codelets_(&codelets) {}

  const v1::Tasks* message_;
  const SessionCodelets* codelets_;
  int row_ = 0;
  std::size_t handle_ = 0;
  std::size_t argument_ = 0;
  int detail_ = 0;
};

}  // namespace troupe::service
