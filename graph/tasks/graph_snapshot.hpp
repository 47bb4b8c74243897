/// A picture of all that is in flight in a graph at one moment, for code that explains it.
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
  /// Nothing: it waits, is ready, or (a host task) holds its data for the program.
  none,
  /// Its kernel runs.
  running,
  /// Its kernel has returned, its callback runs.
  callback,
};

/// One task in flight. The names belong to the graph and are valid only where the snapshot is.
struct TaskNode {
  TaskId id;
  /// The number by which the program that submitted it knows it, if that differs from the id.
  std::uint64_t tag = 0;
  /// Null where the program gave none.
  const std::string* name = nullptr;
  /// Null for host tasks.
  const std::string* codelet = nullptr;
  TaskRole role = TaskRole::user;
  TaskActivity activity = TaskActivity::none;
  /// True: some worker of the runtime has a device that the codelet runs on.
  bool runnable = true;
  /// True: it waits in the queue of a commute lock.
  bool parked = false;
  /// The number of tasks that it waits for.
  std::uint32_t pending = 0;
  /// The worker that runs the kernel or the callback.
  WorkerId worker;
  /// The begin of the activity, or the time since when the program holds the data; zero: not known.
  TimeStamp since{};
  /// The number of pieces of a task that runs in pieces, and how many of them have begun. Zero for all other tasks.
  std::uint32_t pieces = 0;
  std::uint32_t pieces_begun = 0;
};

struct TaskEdge {
  enum class Kind : std::uint8_t { data, explicit_dependency, commute };
  /// Indices of nodes: the second waits for the first.
  std::uint32_t predecessor = 0;
  std::uint32_t successor = 0;
  Kind kind = Kind::data;
};

/// A worker runs pieces of a task that another worker runs, or has begun.
struct TaskHelp {
  std::uint32_t node = 0;
  WorkerId worker;
  TimeStamp since{};
};

/// The data of a host task or of a combining task.
struct NodeData {
  std::uint32_t node = 0;
  /// "'A(1,2)'" or "handle 17".
  std::string data;
  AccessMode mode = AccessMode::read;
};

/// The call in which a thread of the program waits.
enum class WaitKind : std::uint8_t {
  /// `wait()`, `stop()`, the runtime's destructor.
  everything,
  /// `Future::wait`.
  task,
  /// `wait(handle)`, `acquire`.
  data,
  /// `partition`, `set_reduction`: they change a handle that nobody uses.
  change,
  /// `release`, the destructor of a registration.
  release,
  /// `submit`, while the window is full.
  room,
};

struct ThreadWait {
  WaitKind kind = WaitKind::everything;
  /// The task that is waited for; in a wait for data, the task that stands for the thread. Invalid for `everything` and
  /// `room`.
  TaskId task;
  TimeStamp since{};
};

/// The snapshot. It is not the state of a single moment, as workers go on meanwhile; but every edge was there when it
/// was looked at.
struct GraphSnapshot {
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t window = 0;
  /// The number of tasks in flight that were not looked at, as a look is bounded; all are younger than most of `nodes`.
  std::uint64_t left_out = 0;
  std::vector<TaskNode> nodes;
  std::vector<TaskHelp> helps;
  std::vector<TaskEdge> edges;
  std::vector<NodeData> data;
  std::vector<ThreadWait> waits;
};

/// The work of a worker on a task, as the worker's port reports it.
struct RunningTask {
  const Task* task = nullptr;
  WorkerId worker;
  TimeStamp since{};
  /// See `TaskNode`.
  std::uint32_t pieces = 0;
  std::uint32_t pieces_begun = 0;
};

}  // namespace troupe::graph
