/// Task views: the views through which a kernel on the task's device sees the task's data.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/tasks/task.hpp"
#include "platform/memory/host_block.hpp"
#include "troupe/ids.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::workers {

/// Finds the replica of a piece of data that a kernel on some memory node is to use.
using FindReplica = std::function<DataView(const graph::DataRecord& data)>;

/// Returns the block of host memory in which the view's data lie.
[[nodiscard]] platform::HostBlock host_block_of(const DataView& view);

/// The views of one task at a time; an object is used again to save allocations.
class TaskViews {
 public:
  /// If `find_replica` is empty, kernels work on host memory. Tasks that reduce get the worker's partial results.
  /// `graph` serves kernels that ask whether their task was cancelled; `graph` may be null in tests.
  TaskViews(WorkerId worker, FindReplica find_replica, const graph::TaskGraph* graph)
      : worker_(worker), graph_(graph), find_replica_(std::move(find_replica)), copies_(find_replica_ != nullptr) {}

  /// Sets the views for a task. Throws an exception if a partial result cannot be made.
  void prepare(const graph::Task& task) {
    const std::span<const graph::TaskAccess> data = task.data();
    if (views_.size() < data.size()) [[unlikely]]
      views_.resize(data.size());
    const DataView** view = views_.data();
    bool special = copies_;
    for (const graph::TaskAccess& access : data) {
      special |= access.mode() == AccessMode::reduce;
      *view++ = &access.data()->view;
    }
    if (special) [[unlikely]]
      use_others(data);
  }
  /// Makes the kernel see a piece of data at another address, in the same layout.
  void move_to(std::size_t index, std::byte* address);
  /// Returns the context of the task that was prepared last; valid until the next `prepare`.
  [[nodiscard]] KernelContext context_of(const graph::Task& task) const {
    KernelContext context({views_.data(), task.access_count}, task.arguments());
    context.worker = worker_;
    context.task = task.task_id();
    context.record = &task;
    context.task_graph = graph_;
    return context;
  }

 private:
  /// Uses partial results and replicas in place of data in host memory.
  void use_others(std::span<const graph::TaskAccess> data);
  void use_partials(std::span<const graph::TaskAccess> data);
  void use_replicas(std::span<const graph::TaskAccess> data);

  const WorkerId worker_;
  const graph::TaskGraph* const graph_;
  const FindReplica find_replica_;
  const bool copies_;
  std::vector<const DataView*> views_;
  /// The views of partial results and replicas. The container is a deque, because elements must stay where they are.
  std::deque<DataView> made_;
};

}  // namespace troupe::workers
