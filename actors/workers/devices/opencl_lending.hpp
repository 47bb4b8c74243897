/// The data that a task on an OpenCL device has.
#pragma once

#include <span>
#include <vector>

#include "actors/workers/devices/task_views.hpp"
#include "graph/codelets/opencl_launch.hpp"
#include "graph/tasks/task.hpp"
#include "platform/opencl/opencl_handles.hpp"
#include "platform/opencl/opencl_task_data.hpp"
#include "proto/errors.hpp"

namespace troupe::workers {

/// Of one task at a time: what of its data has been lent by the device's `OpenClTaskData`, each piece once. Used by
/// who has the task.
class OpenClLending {
 public:
  /// `in_place`: the data lie in host memory, not in a block of addresses of the device's. `data` outlives this.
  OpenClLending(platform::OpenClTaskData& data, bool in_place) : data_(data), in_place_(in_place) {}

  /// All of a task's data, on the queue of its kernel. `views` have been prepared for it; where they say that data
  /// begin is changed to what the kernel can find buffers by. `last`: becomes the event of what that enqueued last, if
  /// it enqueued anything. Where this fails or throws, nothing is lent.
  [[nodiscard]] Result<void> lend(_cl_command_queue* queue, const graph::Task& task, TaskViews& views,
                                  platform::OpenClEvent& last);
  /// By the addresses of the views.
  [[nodiscard]] std::span<const OpenClLaunch::Buffer> buffers() const { return buffers_; }
  /// Behind the kernel and these events; once; `last` as above. Says what failed first.
  [[nodiscard]] Result<void> bring_back(_cl_command_queue* queue, std::span<_cl_event* const> after,
                                        platform::OpenClEvent& last);
  /// The task has ended, and its data are back.
  void end() noexcept;
  /// All of that, where no kernel has been called. Waits.
  void give_back(_cl_command_queue* queue) noexcept;

 private:
  using Piece = platform::OpenClTaskData::Piece;

  [[nodiscard]] Result<void> lend_all(_cl_command_queue* queue, const graph::Task& task, TaskViews& views,
                                      platform::OpenClEvent& last);
  /// Where the kernel is to see it.
  [[nodiscard]] Result<std::byte*> lend_one(_cl_command_queue* queue, const Piece& piece, platform::OpenClEvent& last);
  void share_beginnings();

  platform::OpenClTaskData& data_;
  const bool in_place_;
  /// What has been lent, and its buffer and address, by the same index.
  std::vector<Piece> pieces_;
  std::vector<OpenClLaunch::Buffer> buffers_;
};

}  // namespace troupe::workers
