/// Longest paths through a task graph. The weight of a task is its kind's weight times its length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// Finds longest paths. Keeps the graph in flat arrays, because `find` is called many times.
class LongestPath {
 public:
  explicit LongestPath(const BoundProblem& problem);

  struct Path {
    double weight = 0;
    /// The sum of the lengths of the path's tasks, by kind.
    std::vector<double> length_of_kind;
  };
  /// Returns the path with the largest weight; if there are several, always the same path. Weights, by kind, must not
  /// be negative. The time is linear in tasks and edges.
  [[nodiscard]] Path find(std::span<const double> weights);

 private:
  std::vector<std::uint32_t> kinds_;
  std::vector<double> lengths_;
  std::size_t number_of_kinds_;
  /// The predecessors of task i are the elements of `predecessors_` from `first_[i]` to just before `first_[i + 1]`.
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> predecessors_;
  /// `weight_` has, for each task, the largest weight of a path that ends with the task. `before_` has the task's
  /// predecessor on that path, or the task itself if the path begins with it.
  std::vector<double> weight_;
  std::vector<std::uint32_t> before_;
};

}  // namespace troupe::apps
