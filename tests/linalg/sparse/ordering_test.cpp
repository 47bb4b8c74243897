#include "linalg/sparse/ordering.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <set>
#include <vector>

#include "proto/random.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(sparse_ordering)

namespace {

using Order = std::vector<std::int32_t>;

Order natural_order(int n) {
  Order order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order shuffled(int n, std::uint64_t seed) {
  Random random(seed);
  Order order = natural_order(n);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  }
  return order;
}

/// Returns the graph of a matrix whose off-diagonal elements are only in the lower triangle. So `adjacency` has to add
/// the transpose.
Adjacency graph_of(int n, const std::vector<std::pair<int, int>>& edges) {
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) entries.push_back({i, i, 1});
  for (const auto& [a, b] : edges) entries.push_back({std::max(a, b), std::min(a, b), 1});
  return adjacency(compressed(n, std::move(entries)), natural_order(n));
}

Adjacency random_graph(int n, int edges, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::pair<int, int>> pairs;
  const auto vertex = [&] { return static_cast<int>(random.below(static_cast<std::uint32_t>(n))); };
  for (int i = 0; i < edges; ++i) {
    const int a = vertex();
    const int b = vertex();
    if (a != b) pairs.emplace_back(a, b);
  }
  return graph_of(n, pairs);
}

/// Returns the graph of a k x k grid whose vertices are numbered in a random order.
Adjacency shuffled_grid(int k, std::uint64_t seed) {
  const Order name = shuffled(k * k, seed);
  const auto vertex = [&](int x, int y) { return name[static_cast<std::size_t>(y * k + x)]; };
  std::vector<std::pair<int, int>> edges;
  for (int y = 0; y < k; ++y) {
    for (int x = 0; x < k; ++x) {
      if (x + 1 < k) edges.emplace_back(vertex(x, y), vertex(x + 1, y));
      if (y + 1 < k) edges.emplace_back(vertex(x, y), vertex(x, y + 1));
    }
  }
  return graph_of(k * k, edges);
}

using Pattern = std::vector<std::vector<bool>>;

/// Returns the pattern of L + U, computed by dense elimination. Rows and columns are indexed by their positions in the
/// order.
Pattern eliminated(const Adjacency& graph, const Order& order) {
  const std::size_t n = order.size();
  std::vector<std::size_t> place(n);
  for (std::size_t k = 0; k < n; ++k) place[static_cast<std::size_t>(order[k])] = k;
  Pattern full(n, std::vector<bool>(n, false));
  for (std::size_t k = 0; k < n; ++k) {
    full[k][k] = true;
    for (const std::int32_t other : graph.of(order[k])) full[k][place[static_cast<std::size_t>(other)]] = true;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) full[i][j] = full[i][j] || (full[i][k] && full[k][j]);
    }
  }
  return full;
}

long count(const Pattern& full) {
  long sum = 0;
  for (const auto& row : full) sum += std::ranges::count(row, true);
  return sum;
}

bool is_permutation_of(const Order& order, int n) {
  Order sorted = order;
  std::ranges::sort(sorted);
  return sorted == natural_order(n);
}

long band(const Adjacency& graph, const Order& order) {
  std::vector<long> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[static_cast<std::size_t>(order[k])] = static_cast<long>(k);
  long widest = 0;
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    for (const std::int32_t w : graph.of(v)) {
      widest = std::max(widest, std::abs(place[static_cast<std::size_t>(v)] - place[static_cast<std::size_t>(w)]));
    }
  }
  return widest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_graph_is_that_of_the_matrix_and_its_transpose) {
  // The diagonal element of row 0 is in column 1, that of row 1 in column 0. A stored zero does not count as an
  // element.
  const CompressedMatrix a = compressed(3, {{0, 1, 5}, {1, 0, 5}, {2, 2, 5}, {1, 2, 1}, {2, 1, 0}, {0, 0, 2}});
  const Adjacency graph = adjacency(a, std::vector<std::int32_t>{1, 0, 2});
  const std::vector<std::vector<std::int32_t>> expected{{1, 2}, {0}, {0}};
  for (std::int32_t v = 0; v < 3; ++v) {
    const auto found = graph.of(v);
    BOOST_TEST(std::vector<std::int32_t>(found.begin(), found.end()) == expected[static_cast<std::size_t>(v)],
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(every_order_names_every_unknown_once) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const int n = 1 + static_cast<int>(seed * 7 % 60);
    // The graph is often not connected.
    const Adjacency graph = random_graph(n, static_cast<int>(seed * 5 % 90), seed);
    for (const Ordering ordering : kOrderings) {
      if (!is_available(ordering)) continue;
      BOOST_TEST_CONTEXT(to_string(ordering) << ", seed " << seed) {
        const Order order = order_by(ordering, graph);
        BOOST_TEST(is_permutation_of(order, n));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(cuthill_and_mckee_find_the_band_of_a_grid) {
  const Adjacency graph = shuffled_grid(12, 3);
  BOOST_TEST(band(graph, natural_order(144)) > 60);
  BOOST_TEST(band(graph, reverse_cuthill_mckee(graph)) <= 13);
}

BOOST_AUTO_TEST_CASE(minimum_degree_leaves_less_fill_in) {
  if (!is_available(Ordering::amd)) {
    BOOST_CHECK_EXCEPTION((void)order_by(Ordering::amd, random_graph(3, 2, 1)), Error,
                          [](const Error& error) { return error.code() == ErrorCode::platform; });
    return;
  }
  // The matrix is an arrow whose full row and column come first. In this order, elimination fills the matrix.
  std::vector<std::pair<int, int>> arrow;
  for (int i = 1; i < 20; ++i) arrow.emplace_back(0, i);
  const Adjacency graph = graph_of(20, arrow);
  BOOST_TEST(count(eliminated(graph, natural_order(20))) == 400);
  BOOST_TEST(count(eliminated(graph, order_by(Ordering::amd, graph))) == 20 + 2 * 19);
  const Adjacency grid = shuffled_grid(12, 5);
  BOOST_TEST(2 * count(eliminated(grid, order_by(Ordering::amd, grid))) <
             count(eliminated(grid, natural_order(grid.vertices()))));
}

BOOST_AUTO_TEST_CASE(the_elimination_tree_is_that_of_dense_elimination) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const int n = 2 + static_cast<int>(seed % 25);
      const Adjacency graph = random_graph(n, static_cast<int>(seed * 3 % 50), seed);
      const Order order = shuffled(n, seed + 100);
      const Pattern full = eliminated(graph, order);
      const std::vector<std::int32_t> parent = elimination_tree(graph, order);
      for (std::size_t k = 0; k < order.size(); ++k) {
        // The parent of a column is the first element below its diagonal.
        std::int32_t expected = -1;
        for (std::size_t i = k + 1; i < order.size() && expected < 0; ++i) {
          if (full[i][k]) expected = order[i];
        }
        BOOST_TEST(parent[static_cast<std::size_t>(order[k])] == expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(postorder_keeps_the_fill_in_and_puts_children_before_their_parents) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const int n = 2 + static_cast<int>(seed % 30);
      const Adjacency graph = random_graph(n, static_cast<int>(seed * 3 % 50), seed);
      const Order order = shuffled(n, seed);
      const Order after = postordered(graph, order);
      BOOST_TEST(is_permutation_of(after, n));
      BOOST_TEST(count(eliminated(graph, after)) == count(eliminated(graph, order)));
      // All vertices between a vertex and its parent in the order are descendants of the parent.
      const std::vector<std::int32_t> parent = elimination_tree(graph, after);
      for (std::size_t k = 0; k + 1 < after.size(); ++k) {
        const std::int32_t up = parent[static_cast<std::size_t>(after[k])];
        if (up < 0) continue;
        for (std::size_t i = k + 1; after[i] != up; ++i) {
          std::int32_t above = after[i];
          while (above >= 0 && above != up) above = parent[static_cast<std::size_t>(above)];
          BOOST_TEST(above == up);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
