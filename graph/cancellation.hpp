/// Tasks that are not wanted any more: why they do not start, and what kernels that run are told.
#pragma once

#include "graph/data/domain.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

/// Returns why the task is not wanted: `none`, `by_predecessor`, or one of the values that begin with `told_of_`.
[[nodiscard]] Withdrawal why_unwanted(const GraphState& graph, const Task& task) noexcept;
/// Returns the text of a reason, which must not be `none`. `until` says what the task had not done in time.
[[nodiscard]] std::string text_of(const GraphState& graph, Withdrawal reason, const Task& task, const char* until);
/// Returns true if the running task is not wanted any more, and notes that its kernel was told so
/// (`TaskGraph::tell_if_cancelled`).
[[nodiscard]] bool tell_if_cancelled(const GraphState& graph, const Task& task) noexcept;
/// Returns why the program does not want the task to start, or null.
[[nodiscard]] FailureLog::Cause why_withdrawn(const GraphState& graph, const Task& task);
/// Returns why a task whose kernel has returned ends as cancelled (`tell_if_cancelled`); null if it does not.
[[nodiscard]] FailureLog::Cause why_cut_short(const GraphState& graph, const Task& task);
/// Returns the failure of a task that is cancelled because an explicit predecessor did not succeed.
[[nodiscard]] FailureLog::Cause follows_a_failure(const Task& task);
/// Returns why a ready task must not run: its data are gone, it was withdrawn, or its input is not valid.
[[nodiscard]] Refusal why_cancelled(GraphState& graph, Task& task);
/// Does the part of `why_cancelled` that concerns the content of the input.
[[nodiscard]] Refusal why_input_missing(GraphState& graph, const Task& task);
/// Gives a child the deadline and the stop token of the nested task that it belongs to, besides its own.
void inherit_limits(Task& task);
/// Keeps tasks of the domain that have not begun from beginning.
void cancel_children(GraphState& graph, Domain& domain);

}  // namespace troupe::graph
