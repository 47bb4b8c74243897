/// Linear programs, solved by GLPK, and lower bounds on their minimum that hold whatever the solver's rounding.
#pragma once

#include <limits>
#include <span>
#include <vector>

struct glp_prob;

namespace troupe::apps {

/// Minimises a linear cost of columns (variables) from 0 up to a bound each, under rows (linear constraints). Rows and
/// columns may be added after solving; the next call goes on from the last solution.
///
/// Keep the figures near 1: GLPK counts what is within 1e-7 as equal.
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

  /// A variable between 0 and `upper`, which must be finite. Returns its number.
  int add_column(double cost, double upper);
  /// The sum of `terms`, which name each column at most once, is at most, at least or equal to `bound`.
  void add_row(Sense sense, double bound, std::span<const Term> terms);

  /// False: GLPK found no optimum (nothing fulfils the rows, or it gave up).
  bool solve();

  /// A variable in the last solution.
  [[nodiscard]] double value(int column) const;

  /// A number that the minimum is not below, after `solve`, whatever that said. It is worked out from the multipliers
  /// of the last solution, the rows and the columns' bounds by weak duality: for multipliers y of the right sign, every
  /// x that fulfils the rows has c x >= y b + (c - y A) x, and the last product is least where each x is 0 or at its
  /// bound. So it holds whatever the multipliers are and whatever is lost by rounding, and is the minimum itself, but
  /// for that, where they are optimal.
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
