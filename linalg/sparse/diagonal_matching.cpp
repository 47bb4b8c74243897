#include "linalg/sparse/diagonal_matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "troupe/errors.hpp"

namespace troupe::linalg {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr std::int32_t kNone = -1;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// Finds an assignment of columns to rows with the least cost. The cost of an element a is log(m / a), where m is the
/// largest absolute value in the row: it is at least zero, and infinite for a zero element. The dual variables are `u`
/// of rows and `v` of columns: u + v is at most the cost, and equal to the cost on the matching.
class Assignment {
 public:
  explicit Assignment(const CompressedMatrix& a)
      : a_(a),
        u_(static_cast<std::size_t>(a.order)),
        v_(static_cast<std::size_t>(a.order), kFar),
        largest_(u_.size()),
        col_of_(u_.size(), kNone),
        row_of_(u_.size(), kNone),
        distance_(u_.size(), kFar),
        from_(u_.size(), kNone),
        settled_(u_.size(), false) {
    find_costs();
    guess();
    for (std::int32_t row = 0; row < order(); ++row) {
      if (col_of_[at(row)] == kNone) augment(row);
    }
  }

  [[nodiscard]] DiagonalMatching matching() && {
    DiagonalMatching result;
    result.row_of = std::move(row_of_);
    for (std::size_t i = 0; i < u_.size(); ++i) {
      // Subtract the logarithms before the power is taken: the power of each term alone may be beyond the range of a
      // double, although the result is not.
      result.row_scale.push_back(power_of_two(u_[i] - std::log(largest_[i])));
      result.col_scale.push_back(power_of_two(v_[i]));
    }
    return result;
  }

 private:
  [[nodiscard]] std::int32_t order() const { return static_cast<std::int32_t>(a_.order); }

  static double power_of_two(double logarithm) {
    constexpr double kMostExponent = 1000;
    return std::exp2(std::clamp(std::round(logarithm / std::log(2.0)), -kMostExponent, kMostExponent));
  }

  /// Calls `use(column, cost)` for the elements of a row that are not zero.
  template <class F>
  void for_row(std::int32_t row, F use) const {
    const auto first = static_cast<std::size_t>(a_.begin[at(row)]);
    const auto last = static_cast<std::size_t>(a_.begin[at(row) + 1]);
    for (std::size_t k = first; k < last; ++k) {
      if (a_.values[k] != 0) use(a_.cols[k], costs_[k]);
    }
  }

  void find_costs() {
    costs_.resize(a_.values.size());
    for (std::int32_t row = 0; row < order(); ++row) {
      double& largest = largest_[at(row)];
      for (const double value : a_.values_of(row)) largest = std::max(largest, std::abs(value));
      if (largest == 0) {
        throw Error(ErrorCode::numerical, fmt::format("the matrix is singular: row {} is zero", row + 1));
      }
      const auto first = static_cast<std::size_t>(a_.begin[at(row)]);
      for (std::size_t k = 0; k < a_.values_of(row).size(); ++k) {
        costs_[first + k] = std::log(largest) - std::log(std::abs(a_.values_of(row)[k]));
      }
    }
  }

  /// Finds initial dual variables, and matches the rows that can already be matched with these variables.
  void guess() {
    for (std::int32_t row = 0; row < order(); ++row) {
      for_row(row, [&](std::int32_t col, double cost) { v_[at(col)] = std::min(v_[at(col)], cost); });
    }
    for (std::int32_t col = 0; col < order(); ++col) {
      if (v_[at(col)] == kFar) {
        throw Error(ErrorCode::numerical, fmt::format("the matrix is singular: column {} is zero", col + 1));
      }
    }
    for (std::int32_t row = 0; row < order(); ++row) {
      double least = kFar;
      std::int32_t best = kNone;
      for_row(row, [&](std::int32_t col, double cost) {
        const double rest = cost - v_[at(col)];
        const bool free = row_of_[at(col)] == kNone;
        // If costs are equal, prefer a free column, and among free columns the diagonal. This keeps a symmetric pattern
        // symmetric.
        const bool better = rest < least || (rest == least && free && (row_of_[at(best)] != kNone || col == row));
        if (!better) return;
        best = col;
        least = rest;
      });
      u_[at(row)] = least;
      if (row_of_[at(best)] == kNone) match(row, best);
    }
  }

  void match(std::int32_t row, std::int32_t col) {
    row_of_[at(col)] = row;
    col_of_[at(row)] = col;
  }

  /// Matches one more row: finds a path from the row to a free column with the least sum of reduced costs.
  void augment(std::int32_t start) {
    using Reached = std::pair<double, std::int32_t>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
    std::vector<std::int32_t> touched;
    std::vector<std::int32_t> settled;
    std::int32_t row = start;
    double so_far = 0;
    double shortest = kFar;
    std::int32_t end = kNone;
    while (true) {
      for_row(row, [&](std::int32_t col, double cost) {
        if (settled_[at(col)]) return;
        const double length = so_far + std::max(0.0, cost - u_[at(row)] - v_[at(col)]);
        if (length >= shortest || length >= distance_[at(col)]) return;
        if (distance_[at(col)] == kFar) touched.push_back(col);
        distance_[at(col)] = length;
        from_[at(col)] = row;
        if (row_of_[at(col)] == kNone) {
          shortest = length;
          end = col;
        } else {
          queue.emplace(length, col);
        }
      });
      while (!queue.empty() && settled_[at(queue.top().second)]) queue.pop();
      if (queue.empty() || queue.top().first >= shortest) break;
      const auto [length, col] = queue.top();
      queue.pop();
      settled_[at(col)] = true;
      settled.push_back(col);
      so_far = length;
      row = row_of_[at(col)];
    }
    if (end == kNone) {
      throw Error(ErrorCode::numerical,
                  fmt::format("the matrix is singular, whatever its values are: its rows do not "
                              "have enough columns, and row {} is left without a diagonal element",
                              start + 1));
    }
    u_[at(start)] += shortest;
    for (const std::int32_t col : settled) {
      u_[at(row_of_[at(col)])] += shortest - distance_[at(col)];
      v_[at(col)] -= shortest - distance_[at(col)];
    }
    for (std::int32_t col = end; col != kNone;) {
      const std::int32_t next_row = from_[at(col)];
      const std::int32_t next_col = col_of_[at(next_row)];
      match(next_row, col);
      col = next_row == start ? kNone : next_col;
    }
    for (const std::int32_t col : touched) distance_[at(col)] = kFar;
    for (const std::int32_t col : settled) settled_[at(col)] = false;
  }

  const CompressedMatrix& a_;
  std::vector<double> costs_;
  std::vector<double> u_;
  std::vector<double> v_;
  /// The largest absolute value of each row.
  std::vector<double> largest_;
  std::vector<std::int32_t> col_of_;
  std::vector<std::int32_t> row_of_;
  // The state of the path search, by column.
  std::vector<double> distance_;
  std::vector<std::int32_t> from_;
  std::vector<bool> settled_;
};

}  // namespace

DiagonalMatching match_diagonal(const CompressedMatrix& a) { return Assignment(a).matching(); }

}  // namespace troupe::linalg
