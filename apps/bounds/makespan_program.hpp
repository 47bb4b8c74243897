/// The linear program behind the lower bounds on the makespan.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bounds/kind_load.hpp"
#include "apps/bounds/linear_program.hpp"

namespace troupe::apps {

/// Minimises the makespan T over x(kind, type), the fraction of a kind's length that runs on a type of worker, under
/// conditions that every schedule fulfils (`LowerBounds`). The first condition is that the workers of each type are
/// together busy for at most T times their number; the functions below add further conditions. All times are in units
/// of the load, which must outlive the program.
class MakespanProgram {
 public:
  explicit MakespanProgram(const KindLoad& load);

  /// Adds the condition that a path with this length of each kind takes at most T. Adds columns (variables) y(kind,
  /// type) for this condition: the fraction of the path's length of the kind that runs on the type, limited by x.
  void add_path(const std::vector<double>& length_of_kind);
  /// Adds the condition that all tasks of these kinds run within T minus `closed`.
  void add_stage(const std::vector<bool>& kinds, double closed);

  /// Returns false if no optimum was found; `bound` is valid even then.
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
