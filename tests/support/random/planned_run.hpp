/// The work of the kernels of random programs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/support/random/random_program.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::tests {

/// A planned task while it runs, whole or in pieces.
struct PlannedRun {
  int index = 0;
  const PlannedTask& task;
  TaskLog& log;
  /// The clock that all tasks share; see `TaskLog`.
  std::atomic<std::uint64_t>& clock;
  const KernelContext& context;

  /// Must be called before `run_whole` or `begin_pieces`.
  void begin() const;
  void run_whole() const;
  /// Reads all data. Returns the number of pieces.
  [[nodiscard]] std::int64_t begin_pieces() const;
  /// Runs one piece. Several threads may call this at once.
  void run_piece(std::size_t piece) const;
};

/// Returns false if a task has succeeded in pieces and some pieces did not run, or ran twice.
[[nodiscard]] bool ran_all_pieces(const PlannedTask& task, const TaskLog& log, TaskStatus status);

}  // namespace troupe::tests
