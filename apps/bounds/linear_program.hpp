/// Linear programs, solved by GLPK, and lower bounds on their minimum that hold despite the solver's rounding.
#pragma once

#include <limits>
#include <span>
#include <vector>

struct glp_prob;

namespace troupe::apps {

/// Minimises a linear cost of columns (variables), each between 0 and an upper bound, under rows (linear constraints).
/// Rows and columns may be added after a call of `solve`; the next call starts from the last solution.
///
/// Keep all numbers near 1, because GLPK treats numbers within 1e-7 of each other as equal.
class LinearProgram {
 public:
  struct Term {
    int column;
    double factor;
  };
  enum class Sense { at_most, at_least, equal };

  LinearProgram();
  ~LinearProgram();
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;

  /// Adds a variable between 0 and `upper`, which must be finite. Returns its number.
  int add_column(double cost, double upper);
  /// Adds a row: the sum of `terms`, which name each column at most once, is at most, at least or equal to `bound`.
  void add_row(Sense sense, double bound, std::span<const Term> terms);

  /// Returns false if GLPK found no optimum: no solution fulfils the rows, or GLPK gave up.
  bool solve();

  /// Returns the value of a variable in the last solution.
  [[nodiscard]] double value(int column) const;

  /// Returns a lower bound of the minimum. Call this function after `solve`, even if `solve` returned false. The bound
  /// follows from the multipliers of the last solution, the rows and the columns' bounds by weak duality. For
  /// multipliers y of the right sign, every x that fulfils the rows has c x >= y b + (c - y A) x, and the last product
  /// is least if each x is 0 or at its upper bound. The result is therefore a valid bound for any multipliers, even
  /// inexact multipliers. For optimal multipliers it equals the minimum, apart from rounding.
  [[nodiscard]] double lower_bound() const;

 private:
  struct Column {
    double cost;
    double upper;
  };
  struct Row {
    Sense sense;
    double bound;
    std::vector<Term> terms;
  };

  glp_prob* problem_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace troupe::apps
