/// A bound problem reduced to a few numbers for a linear program: the total length of the tasks of each kind, and the
/// workers that can run them.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/bounds/linear_program.hpp"
#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// The numbers of a problem that the linear programs use. Types of worker that differ only in their counts are merged,
/// because a schedule for the merged type is also a schedule for the separate types. Types without workers are left
/// out. Times are in a unit that brings the makespan near 1.
struct KindLoad {
  /// For each kind, the sum of the lengths of its tasks.
  std::vector<double> length_of_kind;
  /// The types of worker; their times are in units of `unit_s`.
  std::vector<WorkerType> types;
  int shared_cores = 0;
  double unit_s = 1;
  /// The makespan, in units of `unit_s`, if all tasks run one after the other, each on its fastest type. The best
  /// schedule takes no longer than this.
  double serial = 0;
  /// The largest rounding error of the sums, relative to the sums.
  double rounding = 0;

  explicit KindLoad(const BoundProblem& problem);

  /// Returns the time of a kind on its fastest type; `kCannotRun` if no type can run it.
  [[nodiscard]] double fastest(std::size_t kind) const;
};

/// The columns (variables) x(kind, type) of a linear program: the fraction of the kind's length, from 0 to 1, that runs
/// on the type.
class AllocationColumns {
 public:
  /// Adds the columns, and for each kind a row (constraint) which says that all tasks of the kind run on some type.
  AllocationColumns(LinearProgram& program, const KindLoad& load);

  /// Returns the column of a kind on a type; -1 if no task of the kind runs on the type.
  [[nodiscard]] int at(std::size_t kind, std::size_t type) const { return columns_[kind * types_ + type]; }
  /// The workers of one type, or the cores that all types share, and the time for which they are busy.
  struct Capacity {
    /// The number of workers of the type, or of the shared cores.
    double count = 0;
    /// The terms of a row: the total time that these workers are busy with tasks of the requested kinds.
    std::vector<LinearProgram::Term> busy;
  };
  /// Returns all capacities. In any schedule, `busy` is at most `count` times the duration.
  [[nodiscard]] std::vector<Capacity> capacities(const KindLoad& load, const std::vector<bool>& kinds) const;

 private:
  /// Adds terms to a row: the time that the workers of a type are busy with these kinds, multiplied by `times`.
  void add_busy(const KindLoad& load, std::size_t type, double times, const std::vector<bool>& kinds,
                std::vector<LinearProgram::Term>& terms) const;

  std::size_t types_;
  std::vector<int> columns_;
};

}  // namespace troupe::apps
