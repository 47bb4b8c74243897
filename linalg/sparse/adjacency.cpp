#include "linalg/sparse/adjacency.hpp"

#include <algorithm>
#include <utility>

namespace troupe::linalg {
namespace {

constexpr std::int32_t kRoot = -1;

std::size_t place(std::int32_t index) { return static_cast<std::size_t>(index); }

/// Calls `use(i, j)` and `use(j, i)` for each nonzero element off the diagonal, where i and j are the vertices of the
/// element's row and column.
template <class F>
void for_each_pair(const CompressedMatrix& a, const std::vector<std::int32_t>& vertex_of_row, F use) {
  for (std::int64_t row = 0; row < a.order; ++row) {
    const std::int32_t i = vertex_of_row[static_cast<std::size_t>(row)];
    const auto values = a.values_of(row);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::int32_t j = a.cols_of(row)[k];
      if (values[k] == 0 || i == j) continue;
      use(i, j);
      use(j, i);
    }
  }
}

}  // namespace

Adjacency adjacency(const CompressedMatrix& a, std::span<const std::int32_t> row_of) {
  const auto n = static_cast<std::size_t>(a.order);
  std::vector<std::int32_t> vertex_of_row(n);
  for (std::size_t j = 0; j < n; ++j) vertex_of_row[place(row_of[j])] = static_cast<std::int32_t>(j);
  Adjacency graph;
  graph.begin.assign(n + 1, 0);
  for_each_pair(a, vertex_of_row, [&](std::int32_t i, std::int32_t) { ++graph.begin[place(i) + 1]; });
  for (std::size_t i = 0; i < n; ++i) graph.begin[i + 1] += graph.begin[i];
  graph.neighbours.resize(static_cast<std::size_t>(graph.begin[n]));
  std::vector<std::int64_t> next(graph.begin.begin(), graph.begin.end() - 1);
  for_each_pair(a, vertex_of_row, [&](std::int32_t i, std::int32_t j) {
    graph.neighbours[static_cast<std::size_t>(next[place(i)]++)] = j;
  });
  // In a symmetric pattern, every pair has been stored twice. Keep each pair once.
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto first = graph.neighbours.begin() + graph.begin[i];
    const auto last = graph.neighbours.begin() + next[i];
    std::sort(first, last);
    const auto end = std::unique(first, last);
    graph.begin[i] = kept;
    kept = std::copy(first, end, graph.neighbours.begin() + kept) - graph.neighbours.begin();
  }
  graph.begin[n] = kept;
  graph.neighbours.resize(static_cast<std::size_t>(kept));
  graph.neighbours.shrink_to_fit();
  return graph;
}

std::vector<std::int32_t> elimination_tree(const Adjacency& graph, std::span<const std::int32_t> order) {
  const std::size_t n = order.size();
  std::vector<std::int32_t> place_of(n);
  for (std::size_t k = 0; k < n; ++k) place_of[place(order[k])] = static_cast<std::int32_t>(k);
  std::vector<std::int32_t> parent(n, kRoot);
  // An ancestor of each vertex. Each walk up the tree replaces the ancestors on its way by the newest root, so that
  // later walks are short.
  std::vector<std::int32_t> ancestor(n, kRoot);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::int32_t below : graph.of(order[k])) {
      if (place_of[place(below)] >= static_cast<std::int32_t>(k)) continue;
      while (ancestor[place(below)] != kRoot && ancestor[place(below)] != order[k]) {
        below = std::exchange(ancestor[place(below)], order[k]);
      }
      if (ancestor[place(below)] == order[k]) continue;
      ancestor[place(below)] = order[k];
      parent[place(below)] = order[k];
    }
  }
  return parent;
}

std::vector<std::int32_t> postordered(const Adjacency& graph, std::span<const std::int32_t> order) {
  const std::size_t n = order.size();
  const std::vector<std::int32_t> parent = elimination_tree(graph, order);
  // Build lists of children, each in the given order. The last child is inserted first, because each child is inserted
  // at the front of its list.
  std::vector<std::int32_t> first_child(n, kRoot);
  std::vector<std::int32_t> sibling(n, kRoot);
  for (std::size_t k = n; k-- > 0;) {
    const std::int32_t up = parent[place(order[k])];
    if (up == kRoot) continue;
    sibling[place(order[k])] = first_child[place(up)];
    first_child[place(up)] = order[k];
  }
  std::vector<std::int32_t> result;
  result.reserve(n);
  std::vector<std::int32_t> path;
  for (const std::int32_t root : order) {
    if (parent[place(root)] != kRoot) continue;
    path.push_back(root);
    while (!path.empty()) {
      const std::int32_t vertex = path.back();
      const std::int32_t child = first_child[place(vertex)];
      if (child != kRoot) {
        first_child[place(vertex)] = sibling[place(child)];
        path.push_back(child);
      } else {
        result.push_back(vertex);
        path.pop_back();
      }
    }
  }
  return result;
}

}  // namespace troupe::linalg
