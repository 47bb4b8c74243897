/// Several graphs on the workers of one runtime: one per client.
#pragma once

#include <memory>
#include <string>

#include "actors/observation/why_report.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/task_endings.hpp"
#include "proto/units.hpp"

namespace troupe::actors {

struct ClientGraphOptions {
  /// For people: appears in live views.
  std::string name = {};
  /// While several clients have work, each gets worker time in proportion to its weight. Above 0.
  double weight = 1;
  /// Who is told how tasks ended; outlives the graph. Null: nobody.
  graph::TaskEndings* endings = nullptr;
};

/// One client's tasks and data, apart from everybody else's: failures, cancellation, waiting and ids are its own; the
/// workers are shared. Its window has no limit: whoever submits counts what is in flight. The destructor cancels what
/// has not started, waits for what has, and forgets all data; the program's holds have to be given back before.
class ClientGraph {
 public:
  virtual ~ClientGraph() = default;

  [[nodiscard]] virtual graph::TaskGraph& graph() = 0;
  /// Time that workers have spent on its tasks.
  [[nodiscard]] virtual Duration worker_time() const = 0;
  virtual void set_weight(double weight) = 0;
  /// Why its tasks do not go on.
  [[nodiscard]] virtual WhyReport why() = 0;
};

}  // namespace troupe::actors
