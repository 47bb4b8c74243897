/// The functions of a runtime in Python for the exceptions of kernels and of plain functions.
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "graph/tasks/failure_log.hpp"
#include "python/module/errors.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/task_cell.hpp"

namespace troupe::python {

namespace py = pybind11;

void RuntimeState::add_exception(py::object exception) {
  // Keep at most as many exceptions as the runtime keeps messages.
  if (exceptions_.size() < graph::FailureLog::kDetails) exceptions_.emplace_back(std::move(exception));
}

py::list RuntimeState::take_exceptions() {
  py::list result;
  for (const KeptObject& exception : exceptions_) result.append(exception.get());
  exceptions_.clear();
  return result;
}

void RuntimeState::add_failed_call(CellReference call) {
  for (const CellReference& one : failed_calls_) {
    if (one.get() == call.get()) return;
  }
  if (failed_calls_.size() < graph::FailureLog::kDetails) failed_calls_.push_back(std::move(call));
}

void RuntimeState::forget_failed_call(const TaskCell& call) {
  std::erase_if(failed_calls_, [&call](const CellReference& one) { return one.get() == &call; });
}

std::optional<Error> RuntimeState::take_failed_calls() {
  // A call in another thread may be about to end. The next wait reports this call.
  std::vector<CellReference> ended;
  for (CellReference& call : std::exchange(failed_calls_, {})) {
    if (call->ended() && call->told().exception.load() == nullptr) continue;  // the call was cancelled
    (call->ended() ? ended : failed_calls_).push_back(std::move(call));
  }
  if (ended.empty()) return std::nullopt;
  const auto exception = [](const CellReference& call) {
    return py::reinterpret_borrow<py::object>(call->told().exception.load());
  };
  for (const CellReference& call : ended) add_exception(exception(call));
  const Error first(code_of(exception(ended.front())), ended.front()->message);
  if (ended.size() == 1) return first;
  return Error(first.code(),
               fmt::format("{} calls failed, and the program asked for none of their results: {}; and {} more",
                           ended.size(), first.what(), ended.size() - 1));
}

}  // namespace troupe::python
