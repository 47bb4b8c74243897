/// The linear program behind the lower bounds on the makespan.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bounds/kind_load.hpp"
#include "apps/bounds/linear_program.hpp"

namespace troupe::apps {

/// Minimises the makespan T over x(kind, type), which part of a kind's length runs on a type of worker, under
/// conditions that every schedule fulfils (`LowerBounds`): no type is busy for longer than its workers have time, and
/// what is added. All times are in units of the load, which must outlive it.
class MakespanProgram {
 public:
  explicit MakespanProgram(const KindLoad& load);

  /// A path with so much length of each kind takes at most T: adds columns y(kind, type), which part of the path's
  /// length of the kind runs on the type, at most as much as x says.
  void add_path(const std::vector<double>& length_of_kind);
  /// The tasks of these kinds have T less `closed` for all their work.
  void add_stage(const std::vector<bool>& kinds, double closed);

  /// False: no optimum was found; `bound` holds all the same.
  bool solve() { return program_.solve(); }

  /// T in the last solution.
  [[nodiscard]] double makespan() const { return program_.value(makespan_); }
  /// What the makespan of no schedule is below.
  [[nodiscard]] double bound() const;
  /// How much of the kind's length runs on the type in the last solution.
  [[nodiscard]] double allocated(std::size_t kind, std::size_t type) const;

 private:
  const KindLoad& load_;
  LinearProgram program_;
  int makespan_;
  AllocationColumns allocation_;
};

}  // namespace troupe::apps
