/// Longest paths through a task graph. A task weighs its kind's weight times its length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// Keeps the graph in flat arrays, since `find` is called many times.
class LongestPath {
 public:
  explicit LongestPath(const BoundProblem& problem);

  struct Path {
    double weight = 0;
    /// The sum of the lengths of the path's tasks, by kind.
    std::vector<double> length_of_kind;
  };
  /// Returns a path of the largest weight; if there are several, always the same one. Weights, by kind, must not be
  /// negative. The time is linear in tasks and edges.
  [[nodiscard]] Path find(std::span<const double> weights);

 private:
  std::vector<std::uint32_t> kinds_;
  std::vector<double> lengths_;
  std::size_t number_of_kinds_;
  /// The predecessors of task i are those from `first_[i]` to `first_[i + 1]`.
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> predecessors_;
  /// The largest weight of a path that ends with the task, by task; and the task before it on that path, or itself.
  std::vector<double> weight_;
  std::vector<std::uint32_t> before_;
};

}  // namespace troupe::apps
