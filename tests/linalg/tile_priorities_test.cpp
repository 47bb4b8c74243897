#include "linalg/tile_priorities.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "linalg/factorization.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(tile_priorities)

namespace {

Trace trace_of(const FactorizationOptions& options, std::int64_t rows, std::int64_t cols) {
  RuntimeOptions runtime_options;
  runtime_options.cores = 2;
  runtime_options.threads.deterministic = true;
  runtime_options.trace = true;
  Runtime runtime(runtime_options);
  DenseMatrix<double> a(rows, cols);
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) a(i, j) = i == j ? 2.0 * static_cast<double>(rows) : 1;
  }
  const Factorization<double> factorization(runtime, a, options);
  return runtime.take_trace();
}

/// Returns true if the algorithm gives the task a priority. Only copies between matrix and tiles have none.
bool is_planned(const Trace& trace, const TraceEvent& event) {
  const std::string& codelet = trace.codelet_of(event);
  return codelet != "gather" && codelet != "scatter";
}

std::vector<int> priorities_of(const FactorizationOptions& options, std::int64_t rows, std::int64_t cols) {
  const TileGrid grid{rows, cols, {options.tile_rows, options.tile}};
  switch (options.application) {
    case Application::cholesky: return cholesky_priorities(grid);
    case Application::lu:
      switch (options.pivoting) {
        case Pivoting::none: return lu_without_pivoting_priorities(grid);
        case Pivoting::partial: return lu_priorities(grid);
        case Pivoting::incremental: return lu_incremental_priorities(grid);
      }
      break;
    case Application::qr: return qr_priorities(grid);
  }
  return {};
}

/// Checks that every task of the algorithm has one of the expected priorities, and that no task waits for a task with a
/// lower priority.
void check(const FactorizationOptions& options, std::int64_t rows, std::int64_t cols) {
  const Trace trace = trace_of(options, rows, cols);
  std::map<TaskId, int> priority;
  std::vector<int> seen;
  for (const TraceEvent& event : trace.events) {
    if (!is_planned(trace, event)) continue;
    priority[event.task] = event.priority;
    seen.push_back(event.priority);
  }
  std::vector<int> expected = priorities_of(options, rows, cols);
  std::sort(seen.begin(), seen.end());
  std::sort(expected.begin(), expected.end());
  BOOST_TEST(seen == expected, boost::test_tools::per_element());
  for (const TraceDependency& edge : trace.dependencies) {
    if (!priority.contains(edge.before) || !priority.contains(edge.after)) continue;
    BOOST_TEST(priority[edge.before] >= priority[edge.after]);
  }
  BOOST_TEST((expected.empty() || expected.front() >= 1));
}

void check_shapes(FactorizationOptions options, const std::vector<std::int64_t>& heights) {
  for (const std::int64_t n : {1, 5, 16, 40, 67}) {
    for (const std::int64_t tile : {3, 8, 40}) {
      for (const std::int64_t height : heights) {
        BOOST_TEST_CONTEXT("n = " << n << ", tile " << height * tile << " x " << tile) {
          options.tile = tile;
          options.tile_rows = height * tile;
          check(options, n, n);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(cholesky_never_waits_for_a_lower_priority) { check_shapes({Application::cholesky}, {1, 2, 7}); }

BOOST_AUTO_TEST_CASE(lu_never_waits_for_a_lower_priority) { check_shapes({Application::lu}, {1, 2, 7}); }

BOOST_AUTO_TEST_CASE(lu_without_pivoting_never_waits_for_a_lower_priority) {
  check_shapes({.application = Application::lu, .pivoting = Pivoting::none}, {1, 2, 7});
}

BOOST_AUTO_TEST_CASE(lu_with_incremental_pivoting_never_waits_for_a_lower_priority) {
  check_shapes({.application = Application::lu, .pivoting = Pivoting::incremental}, {1, 2, 7});
}

BOOST_AUTO_TEST_CASE(qr_never_waits_for_a_lower_priority) {
  check_shapes({Application::qr}, {1});
  check({.application = Application::qr, .tile = 8, .tile_rows = 8}, 50, 19);
}

BOOST_AUTO_TEST_CASE(updates_of_the_next_panel_come_before_it_and_before_the_others) {
  // With 4 x 4 tiles the tasks are: potrf, 3 trsm, 6 updates; potrf, 2 trsm, 3 updates; and so on.
  const std::vector<int> priorities = cholesky_priorities({32, 32, 8});
  BOOST_TEST_REQUIRE(priorities.size() == 20U);
  const int second_panel = priorities[10];
  BOOST_TEST(priorities[0] > second_panel);
  for (const std::size_t next_column : {4, 5, 6}) BOOST_TEST(priorities[next_column] > second_panel);
  for (const std::size_t other_column : {7, 8, 9}) BOOST_TEST(priorities[other_column] < priorities[4]);
}

BOOST_AUTO_TEST_CASE(a_matrix_without_columns_has_no_tasks) {
  BOOST_TEST(cholesky_priorities({0, 0, 8}).empty());
  BOOST_TEST(lu_priorities({0, 0, 8}).empty());
  BOOST_TEST(qr_priorities({5, 0, 8}).empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
