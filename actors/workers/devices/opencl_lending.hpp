/// The data that are lent to a task on an OpenCL device.
#pragma once

#include <span>
#include <vector>

#include "actors/workers/devices/task_views.hpp"
#include "graph/tasks/task.hpp"
#include "platform/opencl/opencl_objects.hpp"
#include "platform/opencl/opencl_task_data.hpp"
#include "troupe/errors.hpp"
#include "troupe/opencl.hpp"

namespace troupe::workers {

/// The pieces of one task's data that the device's `OpenClTaskData` has lent, each piece once. Serves one task at a
/// time. Used by the thread that handles the task.
class OpenClLending {
 public:
  /// `in_place` is true if the data are in host memory, not in a block of the device's addresses. `data` outlives this
  /// object.
  OpenClLending(platform::OpenClTaskData& data, bool in_place) : data_(data), in_place_(in_place) {}

  /// Lends all data of a task, by commands on the queue of the task's kernel. `views` must have been prepared for the
  /// task. Their addresses are changed to the addresses by which the kernel finds the buffers. Sets `last` to the event
  /// of the last command that was enqueued here, if any. If this fails or throws, nothing is lent.
  [[nodiscard]] Result<void> lend(_cl_command_queue* queue, const graph::Task& task, TaskViews& views,
                                  platform::OpenClEvent& last);
  /// Returns the buffers, with the addresses of the views.
  [[nodiscard]] std::span<const OpenClLaunch::Buffer> buffers() const { return buffers_; }
  /// Brings the data back, behind the kernel and the events in `after`, and sets `last` as `lend` does. Must be called
  /// once. Returns the first failure.
  [[nodiscard]] Result<void> bring_back(_cl_command_queue* queue, std::span<_cl_event* const> after,
                                        platform::OpenClEvent& last);
  /// Called when the task has ended and the task's data are back.
  void end() noexcept;
  /// Calls `bring_back`, waits, and calls `end`, for a task whose kernel has not been called.
  void give_back(_cl_command_queue* queue) noexcept;

 private:
  using Piece = platform::OpenClTaskData::Piece;

  [[nodiscard]] Result<void> lend_all(_cl_command_queue* queue, const graph::Task& task, TaskViews& views,
                                      platform::OpenClEvent& last);
  /// Returns the address at which the kernel is to see the piece.
  [[nodiscard]] Result<std::byte*> lend_one(_cl_command_queue* queue, const Piece& piece, platform::OpenClEvent& last);
  void share_beginnings();

  platform::OpenClTaskData& data_;
  const bool in_place_;
  /// `pieces_` holds the lent pieces; `buffers_` holds the buffer and the address of each piece, at the same index.
  std::vector<Piece> pieces_;
  std::vector<OpenClLaunch::Buffer> buffers_;
};

}  // namespace troupe::workers
