/// The domains of nested tasks: how they open, and how their children join them in order.
#pragma once

#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/dependencies.hpp"
#include "graph/data/domain.hpp"
#include "graph/state/graph_state.hpp"

namespace troupe::graph {

/// Returns the domain of the tasks that the calling thread submits. A child that submits a task becomes a nested task
/// here.
Result<Domain*> open_domain_here(GraphState& graph) TROUPE_REQUIRES(graph.submission_mutex);
/// Returns the home (`DataRecord::home`) of data that the calling thread registers. A call (`async`) opens its domain
/// here.
[[nodiscard]] TaskReference home_of_new_data(GraphState& graph) TROUPE_REQUIRES(graph.submission_mutex);
/// Makes the task a nested task with these weak data.
void open_domain(GraphState& graph, Task& task, std::vector<TaskAccess> weak) TROUPE_REQUIRES(graph.submission_mutex);
/// Lets a task of the program become nested when its kernel submits a task.
void allow_nesting(GraphState& graph, Task& task) TROUPE_REQUIRES(graph.submission_mutex);
/// Returns the definition of the codelet restricted to cores; null if its tasks cannot run on those here.
const CodeletDefinition* on_cores_only(GraphState& graph, const Codelet& codelet);
/// Fails if there is a budget (`NestingRules::budget`) and it has no room for one more child.
Result<void> check_budget(GraphState& graph) TROUPE_REQUIRES(graph.submission_mutex);
/// Tells the budget, if there is one, that a child has ended.
inline void child_ended(const GraphState& graph) noexcept {
  if (graph.options.nesting.budget != nullptr) graph.options.nesting.budget->child_ended();
}
/// Makes a task a child in the domain.
void make_child(const GraphState& graph, Task& task, Domain& domain);
/// Takes `make_child` back, for a submission that has failed.
void make_no_child(GraphState& graph, Task& task);
/// Counts one more child of the domain. Called before the child can begin.
void join_domain(GraphState& graph, Domain& domain) TROUPE_REQUIRES(graph.submission_mutex);
/// Does the work of `order_by_data` for a nested task or a child.
void order_nested(GraphState& graph, Task& task, const TaskOptions& options, const Codelet* codelet,
                  DependencyBuilder& builder, TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex);
/// Called after `order_nested`: from here on, later tasks on the task's weak data wait for the nested task.
void declare_weak(GraphState& graph, Task& task, DependencyBuilder& builder) TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
