#include "actors/workers/deciding/device_queue.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace troupe::workers {

using graph::Task;

namespace {
/// At most so many waiting tasks of each task are examined: examining more would take longer than issuing could save.
constexpr std::size_t kMostEdges = 64;

/// Returns true if tasks that wait for `task` may begin on the device before `task` is completed.
bool can_be_followed(const Task& task) {
  // A task's callback has to run before any task that waits for the task. A nested task has not ended when its kernel
  // has returned, because its children may still run.
  return !task.is_recorded() && !(task.extras && task.extras->callback) && task.own_domain() == nullptr;
}
}  // namespace

DeviceQueue::DeviceQueue(const Limits& limits, std::size_t most) : limits_(limits) {
  if (queues()) tasks_.reserve(most);
}

bool DeviceQueue::fits_ahead(const Task& task) const {
  const Duration more = times_.expected(task);
  if (more <= Duration{}) return false;
  Duration sum = more;
  for (const OnDevice& one : tasks_) {
    if (one.ahead) sum += one.expected;
  }
  return sum <= limits_.work_ahead;
}

void DeviceQueue::add(Task& task, bool ahead, bool begun) {
  if (queues()) tasks_.push_back({&task, times_.expected(task), ahead, begun});
}

bool DeviceQueue::remove(const Task& task) {
  if (!queues()) return true;
  const auto found = std::ranges::find(tasks_, &task, &OnDevice::task);
  const bool begun = found->begun;
  tasks_.erase(found);
  std::size_t begins = static_cast<std::size_t>(std::ranges::count(tasks_, false, &OnDevice::ahead));
  for (OnDevice& one : tasks_) {
    if (begins >= limits_.slots) break;
    if (!one.ahead) continue;
    one.ahead = false;
    ++begins;
  }
  return begun;
}

std::span<Task* const> DeviceQueue::predecessors(const Task& task) {
  predecessors_.clear();
  std::uint32_t edges = 0;
  for (const OnDevice& one : tasks_) {
    const std::uint32_t before = edges;
    if (can_be_followed(*one.task)) {
      graph::visit_waiting(*one.task, kMostEdges, [&](const Task& waiting) { edges += &waiting == &task ? 1 : 0; });
    }
    if (edges > before) predecessors_.push_back(one.task);
  }
  // Acquire: the effects of tasks that ended elsewhere become visible here.
  if (edges != task.pending.load(std::memory_order_acquire)) return {};
  return predecessors_;
}

std::span<Task* const> DeviceQueue::followers() {
  followers_.clear();
  for (const OnDevice& one : tasks_) {
    if (!can_be_followed(*one.task)) continue;
    graph::visit_waiting(*one.task, kMostEdges, [this](Task& task) { followers_.push_back(&task); });
  }
  std::ranges::sort(followers_);
  // Keeps each task once, and only if all tasks for which it waits are on the device.
  std::size_t kept = 0;
  for (std::size_t i = 0, next = 0; i < followers_.size(); i = next) {
    while (next < followers_.size() && followers_[next] == followers_[i]) ++next;
    // Acquire: pairs with the submission's last addition to `pending`, which publishes the whole task.
    if (followers_[i]->pending.load(std::memory_order_acquire) == next - i) followers_[kept++] = followers_[i];
  }
  followers_.resize(kept);
  // The order must not depend on addresses, which differ from run to run.
  std::ranges::sort(followers_, [](const Task* one, const Task* other) {
    return one->priority != other->priority ? one->priority > other->priority : one->task_id() < other->task_id();
  });
  return followers_;
}

}  // namespace troupe::workers
