/// The dependence patterns of Task Bench, and one of a stencil in two dimensions: they say which results of the
/// previous step each task needs.
///
/// Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime Performance", SC20, section
/// II and table II. A graph has `steps` rows of `width` tasks; a task depends only on tasks in the row above.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

enum class Pattern : std::uint8_t { trivial, stencil_1d, stencil_2d, fft, nearest, random_nearest, tree };

inline constexpr std::array kPatterns{Pattern::trivial, Pattern::stencil_1d,     Pattern::stencil_2d, Pattern::fft,
                                      Pattern::nearest, Pattern::random_nearest, Pattern::tree};

/// The largest number of inputs of a task, those of a task of `stencil_2d` away from the borders.
inline constexpr std::size_t kMostInputs = 9;

[[nodiscard]] const char* to_string(Pattern pattern);
[[nodiscard]] std::optional<Pattern> pattern_named(std::string_view name);
/// Returns true if the number of dependencies is a parameter of the pattern.
[[nodiscard]] bool has_radix(Pattern pattern);

struct GraphShape {
  Pattern pattern = Pattern::stencil_1d;
  /// The number of tasks in a row. A row of `stencil_2d` is a square of `width` x `width` tasks, column by column.
  int width = 1;
  /// For `nearest`, the number of dependencies of a task away from the borders. For `random_nearest`, the number of
  /// candidates for dependencies: the task above always is a dependency, and every other candidate with probability
  /// 1/4.
  int radix = 3;
};

/// The dependencies of every task. They are computed once, so that their computation is not counted as time of a
/// runtime. They repeat from row to row with a short period. Immutable; any thread may read them.
class GraphPattern {
 public:
  explicit GraphPattern(const GraphShape& shape);

  [[nodiscard]] const GraphShape& shape() const { return shape_; }
  [[nodiscard]] int width() const {
    return shape_.pattern == Pattern::stencil_2d ? shape_.width * shape_.width : shape_.width;
  }
  /// Returns the number of tasks in a row. In a tree, each row is twice as wide as the row above, up to the width of
  /// the graph.
  [[nodiscard]] int row_width(std::int64_t step) const;
  /// Returns the number of tasks in the first `steps` rows.
  [[nodiscard]] std::int64_t tasks(std::int64_t steps) const;
  /// Returns the columns of row `step - 1` on which task (step, column) depends, in ascending order; none in row 0.
  [[nodiscard]] std::span<const int> inputs(std::int64_t step, int column) const {
    if (step == 0) return {};
    const auto at = static_cast<std::size_t>((step % period_) * width() + column);
    return {columns_.data() + begins_[at], begins_[at + 1] - begins_[at]};
  }

 private:
  GraphShape shape_;
  std::int64_t period_ = 1;
  std::vector<std::size_t> begins_;
  std::vector<int> columns_;
};

}  // namespace troupe::bench
