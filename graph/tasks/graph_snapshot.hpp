/// A snapshot of everything in flight in a graph, for code that explains why tasks wait.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "graph/tasks/task.hpp"
#include "troupe/access.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

/// The activity of a task at this moment.
enum class TaskActivity : std::uint8_t {
  /// The task does nothing: it waits, is ready, or (a host task) holds its data for the program.
  none,
  /// The task's kernel runs.
  running,
  /// The task's kernel waits for another runtime, and other tasks use its core.
  outside,
  /// The task's kernel has returned, and its callback runs.
  callback,
};

/// One task in flight. The names belong to the graph and are valid only as long as the snapshot.
struct TaskNode {
  TaskId id;
  /// The number by which a client of a service knows the task; 0 if this is the id.
  std::uint64_t tag = 0;
  /// True for a child of a client's nested task: the client has no number for it.
  bool child_of_client = false;
  /// The name that the program gave the task; null if it gave none.
  const std::string* name = nullptr;
  /// The codelet's name; null for host tasks.
  const std::string* codelet = nullptr;
  TaskRole role = TaskRole::user;
  TaskActivity activity = TaskActivity::none;
  /// True if some worker of the runtime has a device that the codelet runs on.
  bool runnable = true;
  /// True if the task is not wanted any more, and its kernel has not asked whether it is.
  bool unwanted = false;
  /// True if the task waits in the queue of a commute lock.
  bool parked = false;
  /// The number of tasks that this task waits for.
  std::uint32_t pending = 0;
  /// The worker that runs the kernel or the callback.
  WorkerId worker;
  /// The begin of the activity; for a host task, the time at which the program got the data. Zero if not known.
  TimeStamp since{};
  /// The number of pieces of a task that runs in pieces, and the number of its pieces that have begun. Zero for all
  /// other tasks.
  std::uint32_t pieces = 0;
  std::uint32_t pieces_begun = 0;
};

struct TaskEdge {
  enum class Kind : std::uint8_t { data, explicit_dependency, commute };
  /// Indices of nodes: the successor waits for the predecessor.
  std::uint32_t predecessor = 0;
  std::uint32_t successor = 0;
  Kind kind = Kind::data;
};

/// Says that a worker runs pieces of a task although another worker has begun the task.
struct TaskHelp {
  std::uint32_t node = 0;
  WorkerId worker;
  TimeStamp since{};
};

/// The data of a host task or of a combining task.
struct NodeData {
  std::uint32_t node = 0;
  /// A text such as "'A(1,2)'" or "handle 17".
  std::string data;
  AccessMode mode = AccessMode::read;
};

/// The call in which a thread of the program waits.
enum class WaitKind : std::uint8_t {
  /// A call of `wait()` or `stop()`, or the runtime's destructor.
  everything,
  /// A call of `Future::wait`.
  task,
  /// A call of `wait(handle)` or `acquire`.
  data,
  /// A call of `partition` or `set_reduction`: both wait until no task uses the handle.
  change,
  /// A call of `release`, or the destructor of a registration.
  release,
  /// A call of `submit` while the window is full.
  room,
  /// A call of `wait()` in the kernel of a nested task.
  children,
};

struct ThreadWait {
  WaitKind kind = WaitKind::everything;
  /// The task that is waited for. For `data`, `change` and `release`, it is a task that represents the waiting thread
  /// (`TaskRole::host`) and becomes ready when the thread may continue. For `children`, it is the nested task. Invalid
  /// for `everything` and `room`.
  TaskId task;
  TimeStamp since{};
};

/// The snapshot. It is not the state of a single moment, because workers continue meanwhile; but every edge existed
/// when it was read.
struct GraphSnapshot {
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t window = 0;
  /// The number of tasks in flight that were left out, because the number of nodes is limited. The oldest tasks are
  /// never left out.
  std::uint64_t left_out = 0;
  std::vector<TaskNode> nodes;
  std::vector<TaskHelp> helps;
  std::vector<TaskEdge> edges;
  std::vector<NodeData> data;
  std::vector<ThreadWait> waits;
};

/// The task that a worker runs, as the worker reports it.
struct RunningTask {
  const Task* task = nullptr;
  WorkerId worker;
  TimeStamp since{};
  /// These members have the same meaning as in `TaskNode`.
  std::uint32_t pieces = 0;
  std::uint32_t pieces_begun = 0;
  /// True if the kernel waits for another runtime.
  bool outside = false;
};

}  // namespace troupe::graph
