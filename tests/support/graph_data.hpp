/// Short functions with which tests use a task graph.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

/// Registers one variable of the test.
template <class T>
Handle register_scalar(graph::TaskGraph& graph, T& value, const std::string& name = {}) {
  return graph.register_data({layout_of<T>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, name});
}

/// Registers a matrix whose columns follow one another without gaps.
template <class T>
Handle register_matrix(graph::TaskGraph& graph, std::vector<T>& values, std::int64_t rows, std::int64_t cols,
                       const std::string& name = {}) {
  return graph.register_data(
      {layout_of<T>(rows, cols, rows), reinterpret_cast<std::byte*>(values.data()), nullptr, name});
}

inline Result<Future> try_submit(graph::TaskGraph& graph, const Codelet& codelet,
                                 std::initializer_list<Access> accesses, const Arguments& arguments = {},
                                 const TaskOptions& options = {}) {
  return graph.submit({codelet, {accesses.begin(), accesses.size()}, arguments, options});
}

/// Submits a task. Throws if the submission is refused.
inline Future submit(graph::TaskGraph& graph, const Codelet& codelet, std::initializer_list<Access> accesses,
                     const Arguments& arguments = {}, const TaskOptions& options = {}) {
  return try_submit(graph, codelet, accesses, arguments, options).value_or_throw();
}

}  // namespace troupe::tests
