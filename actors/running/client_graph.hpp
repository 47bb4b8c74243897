/// Several graphs on the workers of one runtime: one per client.
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
  /// The name for people: appears in live views.
  std::string name = {};
  /// The user's weight from now on: while several users have work, each gets worker time in proportion to his weight.
  /// Above 0.
  double weight = 1;
  /// Receives how tasks ended; outlives the graph. Null: nobody is told.
  graph::TaskEndings* endings = nullptr;
  /// The user whose client it is: all clients of one user have one share among them. Nothing: a user of its own.
  std::optional<std::uint64_t> user = std::nullopt;
};

/// One client's tasks and data, separate from those of all others: failures, cancellation, waiting and ids are its own;
/// the workers are shared. Its window has no limit: the submitting code counts the tasks in flight. The destructor
/// cancels the tasks that have not started, waits for those that have, and forgets all data; the program's holds must
/// be given back before.
class ClientGraph {
 public:
  virtual ~ClientGraph() = default;

  [[nodiscard]] virtual graph::TaskGraph& graph() = 0;
  /// The time that workers have spent on its tasks, running tasks included.
  [[nodiscard]] virtual Duration worker_time() const = 0;
  virtual void set_weight(double weight) = 0;
  /// The most operations per second at which tasks of a codelet of this name were seen to run on a core, over all
  /// clients; 0: none ran for long.
  [[nodiscard]] virtual double best_speed(const std::string& codelet) const = 0;
  /// Explains why its tasks do not go on.
  [[nodiscard]] virtual WhyReport why() = 0;
};

}  // namespace troupe::actors
