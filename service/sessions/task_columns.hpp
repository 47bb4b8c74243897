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
  /// The client's numbers, and a mode for each; without modes where the codelet says them.
  std::span<const std::uint64_t> handles = {};
  std::string_view modes = {};
  /// The bytes of the codelet's arguments.
  const char* arguments = nullptr;
  int priority = 0;
  /// Null: nothing special.
  const v1::TaskDetail* detail = nullptr;
};

/// `Tasks` lists what all of its tasks have, one property after the other. Refers to the message and the codelets.
class TaskColumns {
 public:
  /// Checks that the lists are as long as one another says; a failure is a violation of the protocol.
  static Result<TaskColumns> read(const v1::Tasks& message, const SessionCodelets& codelets);

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(message_->codelet_size()); }
  /// One row after the other, `size()` times.
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
