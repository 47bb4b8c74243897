/// The linear program behind the lower bounds on the makespan.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bounds/kind_load.hpp"
#include "apps/bounds/linear_program.hpp"

namespace troupe::apps {

/// Minimises the makespan T over x(kind, type), the part of a kind's length that runs on a type of worker, under
/// conditions that every schedule fulfils (`LowerBounds`): no type is busy for longer than its workers have time, and
/// the conditions that are added. All times are in units of the load, which must outlive the program.
class MakespanProgram {
 public:
  explicit MakespanProgram(const KindLoad& load);

  /// Adds the condition that a path with this length of each kind takes at most T. Adds columns y(kind, type) for it:
  /// the part of the path's length of the kind that runs on the type, at most as much as x says.
  void add_path(const std::vector<double>& length_of_kind);
  /// Adds the condition that all work of the tasks of these kinds is done in T less `closed`.
  void add_stage(const std::vector<bool>& kinds, double closed);

  /// Returns false if no optimum was found; `bound` is still valid then.
  bool solve() { return program_.solve(); }

  /// Returns T in the last solution.
  [[nodiscard]] double makespan() const { return program_.value(makespan_); }
  /// Returns a lower bound on the makespan of every schedule.
  [[nodiscard]] double bound() const;
  /// Returns the length of the kind that runs on the type in the last solution.
  [[nodiscard]] double allocated(std::size_t kind, std::size_t type) const;

 private:
  const KindLoad& load_;
  LinearProgram program_;
  int makespan_;
  AllocationColumns allocation_;
};

}  // namespace troupe::apps
