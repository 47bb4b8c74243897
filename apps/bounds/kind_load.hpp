/// A bound problem in few numbers: how many tasks of each kind there are and where they can run, ready for a linear
/// program.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/bounds/linear_program.hpp"
#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// What the linear programs know of a problem. Types that are alike but for their counts are one (a schedule for one is
/// one for the other), types without workers are left out. Times are in a unit that brings the makespan near 1.
struct KindLoad {
  /// By kind, the lengths of its tasks together.
  std::vector<double> length_of_kind;
  /// Times in units of `unit_s`.
  std::vector<WorkerType> types;
  int shared_cores = 0;
  double unit_s = 1;
  /// The makespan of all tasks one after the other, each where it is fastest: no best schedule takes longer. In units.
  double serial = 0;
  /// Of its sums, as a part of them.
  double rounding = 0;

  explicit KindLoad(const BoundProblem& problem);

  /// The fastest time of a kind, `kCannotRun` if it can run nowhere.
  [[nodiscard]] double fastest(std::size_t kind) const;
};

/// The columns of x(kind, type) in a linear program: which part of the kind's length runs on the type, from 0 to 1.
class AllocationColumns {
 public:
  /// Adds the columns, and one row per kind: all its tasks run somewhere.
  AllocationColumns(LinearProgram& program, const KindLoad& load);

  /// -1: there is no such column, since no task of the kind runs on the type.
  [[nodiscard]] int at(std::size_t kind, std::size_t type) const { return columns_[kind * types_ + type]; }
  /// What the workers of one type, or the cores that all share, have time for.
  struct Capacity {
    /// Of these there are so many,
    double count = 0;
    /// which are busy for so long together with tasks of the kinds asked for: a row's terms.
    std::vector<LinearProgram::Term> busy;
  };
  /// Every schedule keeps none of them busy for longer than it takes.
  [[nodiscard]] std::vector<Capacity> capacities(const KindLoad& load, const std::vector<bool>& kinds) const;

 private:
  /// The time that the workers of a type, or `times` their number, are busy with these kinds, added to a row's terms.
  void add_busy(const KindLoad& load, std::size_t type, double times, const std::vector<bool>& kinds,
                std::vector<LinearProgram::Term>& terms) const;

  std::size_t types_;
  std::vector<int> columns_;
};

}  // namespace troupe::apps
