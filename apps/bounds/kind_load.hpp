/// A bound problem reduced to few numbers for a linear program: the tasks of each kind, and where they can run.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/bounds/linear_program.hpp"
#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// The part of a problem that the linear programs use. Types that differ only in their counts are merged into one (a
/// schedule for one is a schedule for the other); types without workers are left out. Times are in a unit that brings
/// the makespan near 1.
struct KindLoad {
  /// The sum of the lengths of a kind's tasks, by kind.
  std::vector<double> length_of_kind;
  /// The types of worker; their times are in units of `unit_s`.
  std::vector<WorkerType> types;
  int shared_cores = 0;
  double unit_s = 1;
  /// The makespan, in units, if all tasks run one after the other, each on its fastest type. The best schedule takes no
  /// longer.
  double serial = 0;
  /// The largest rounding error of the sums, relative to them.
  double rounding = 0;

  explicit KindLoad(const BoundProblem& problem);

  /// Returns the fastest time of a kind; `kCannotRun` if it can run nowhere.
  [[nodiscard]] double fastest(std::size_t kind) const;
};

/// The columns x(kind, type) of a linear program: the part of the kind's length, from 0 to 1, that runs on the type.
class AllocationColumns {
 public:
  /// Adds the columns, and one row per kind that says that all its tasks run somewhere.
  AllocationColumns(LinearProgram& program, const KindLoad& load);

  /// Returns the column of a kind on a type; -1 if no task of the kind runs on the type.
  [[nodiscard]] int at(std::size_t kind, std::size_t type) const { return columns_[kind * types_ + type]; }
  /// The workers of one type, or the cores that all types share, and their busy time.
  struct Capacity {
    /// The number of these workers or cores.
    double count = 0;
    /// The terms of a row: the time that all of them together are busy with tasks of the kinds asked for.
    std::vector<LinearProgram::Term> busy;
  };
  /// Returns the capacities. No schedule keeps one of them busy for longer than the schedule takes.
  [[nodiscard]] std::vector<Capacity> capacities(const KindLoad& load, const std::vector<bool>& kinds) const;

 private:
  /// Adds to a row's terms `times` times the time that the workers of a type are busy with these kinds.
  void add_busy(const KindLoad& load, std::size_t type, double times, const std::vector<bool>& kinds,
                std::vector<LinearProgram::Term>& terms) const;

  std::size_t types_;
  std::vector<int> columns_;
};

}  // namespace troupe::apps
