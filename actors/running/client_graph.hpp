/// Lets several graphs, one for each client, use the workers of one runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "graph/task_graph.hpp"
#include "graph/tasks/task_endings.hpp"
#include "troupe/units.hpp"
#include "troupe/why.hpp"

namespace troupe::actors {

struct ClientGraphOptions {
  /// The name for people, which appears in live views.
  std::string name = {};
  /// The user's weight from now on, above 0: while several users have work, each gets worker time in proportion to the
  /// weight.
  double weight = 1;
  /// Hears how each task ended. Outlives the graph; may be null.
  graph::TaskEndings* endings = nullptr;
  /// Limits the children and the waits of kernels of the client's nested tasks. Outlives the graph, and may be null.
  graph::NestingBudget* nesting = nullptr;
  /// The number of the client's user. All clients of one user together have one share of the workers' time. If the
  /// number is empty, the client counts as a user of its own.
  std::optional<std::uint64_t> user = std::nullopt;
};

/// One client's tasks and data, separate from the tasks and data of other clients. Each client has failures,
/// cancellation and waits of its own; the workers and the counters of ids are shared. This graph does not limit the
/// number of tasks in flight: the submitting code has to do so. The destructor cancels the tasks that have not started,
/// waits for the running tasks, and forgets all data. Before the destructor is called, the program must have ended its
/// accesses to acquired data.
class ClientGraph {
 public:
  virtual ~ClientGraph() = default;

  [[nodiscard]] virtual graph::TaskGraph& graph() = 0;
  /// Returns the time that workers have spent on the client's tasks, running tasks included.
  [[nodiscard]] virtual Duration worker_time() const = 0;
  virtual void set_weight(double weight) = 0;
  /// Returns the highest speed, in operations per second, at which any client's task of a codelet with this name ran on
  /// a core; 0 if no such task ran long enough to measure its speed.
  [[nodiscard]] virtual double best_speed(const std::string& codelet) const = 0;
  /// Explains why the client's tasks make no progress.
  [[nodiscard]] virtual WhyReport why() = 0;
};

}  // namespace troupe::actors
