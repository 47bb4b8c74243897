/// A bound problem in few numbers: how many tasks of each kind there are and where they can run, ready for a linear
/// program.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/bounds/linear_program.hpp"
#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// A type of resource, with the devices of all types that take the same times.
struct ResourceType {
  /// By kind, in units of `KindLoad::unit_s`; `kCannotRun` where it cannot run.
  std::vector<double> times;
  int count = 0;
  /// Whether its devices work on host memory, or each on a memory of its own.
  bool on_host = true;
};

/// What the linear programs know of a problem. Types that take equal times in memory of one sort are one (a schedule
/// for one is one for the other), types without devices are left out. Times are in a unit that brings the makespan
/// near 1.
struct KindLoad {
  std::vector<std::size_t> tasks_of_kind;
  std::vector<ResourceType> types;
  double unit_s = 1;
  /// The makespan of all tasks one after the other, each where it is fastest: no best schedule takes longer. In units.
  double serial = 0;

  /// `on_host` says it of each type of the problem; by default all work on host memory.
  explicit KindLoad(const BoundProblem& problem, const std::vector<bool>& on_host = {});

  /// The fastest time of a kind, `kCannotRun` if it can run nowhere.
  [[nodiscard]] double fastest(std::size_t kind) const;
};

/// The columns of x(kind, type) in a linear program: which part of the tasks of the kind runs on the type, from 0 to 1.
class AllocationColumns {
 public:
  /// Adds the columns, and one row per kind: all its tasks run somewhere.
  AllocationColumns(LinearProgram& program, const KindLoad& load);

  /// -1: there is no such column, since no task of the kind runs on the type.
  [[nodiscard]] int at(std::size_t kind, std::size_t type) const { return columns_[kind * types_ + type]; }
  /// The time that the devices of a type are busy with tasks of these kinds, as a row's terms.
  [[nodiscard]] std::vector<LinearProgram::Term> busy(const KindLoad& load, std::size_t type,
                                                      const std::vector<bool>& kinds) const;

 private:
  std::size_t types_;
  std::vector<int> columns_;
};

}  // namespace troupe::apps
