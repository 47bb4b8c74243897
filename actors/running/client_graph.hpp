/// Several graphs on the workers of one runtime: one per client.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "actors/observation/why_report.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/task_endings.hpp"
#include "proto/units.hpp"

namespace troupe::actors {

struct ClientGraphOptions {
  /// For people: appears in live views.
  std::string name = {};
  /// Of the user, from now on: while several users have work, each gets worker time in proportion to his weight. Above
  /// 0.
  double weight = 1;
  /// Who is told how tasks ended; outlives the graph. Null: nobody.
  graph::TaskEndings* endings = nullptr;
  /// Whose client it is: all clients of one user have one share among them. Nothing: a user of its own.
  std::optional<std::uint64_t> user = std::nullopt;
};

/// One client's tasks and data, apart from everybody else's: failures, cancellation, waiting and ids are its own; the
/// workers are shared. Its window has no limit: whoever submits counts what is in flight. The destructor cancels what
/// has not started, waits for what has, and forgets all data; the program's holds have to be given back before.
class ClientGraph {
 public:
  virtual ~ClientGraph() = default;

  [[nodiscard]] virtual graph::TaskGraph& graph() = 0;
  /// Time that workers have spent on its tasks, those that run included.
  [[nodiscard]] virtual Duration worker_time() const = 0;
  virtual void set_weight(double weight) = 0;
  /// The most operations per second at which tasks of a codelet of this name were seen to run on a core, those of all
  /// clients; 0: none ran for long.
  [[nodiscard]] virtual double best_speed(const std::string& codelet) const = 0;
  /// Why its tasks do not go on.
  [[nodiscard]] virtual WhyReport why() = 0;
};

}  // namespace troupe::actors
