/// The kernels of random programs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/support/random/random_program.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::tests {

/// One run of a planned task, as a whole or in pieces.
struct PlannedRun {
  int index = 0;
  const PlannedTask& task;
  TaskLog& log;
  /// The clock that all tasks share. See `TaskLog`.
  std::atomic<std::uint64_t>& clock;
  const KernelContext& context;

  /// Must be called before `run_whole` or `begin_pieces`.
  void begin() const;
  void run_whole() const;
  /// Reads all data of the task. Returns the number of pieces.
  [[nodiscard]] std::int64_t begin_pieces() const;
  /// Runs one piece of the task. Several threads may call this at once.
  void run_piece(std::size_t piece) const;
};

/// Returns false if a task has succeeded in pieces, but some piece did not run exactly once.
[[nodiscard]] bool ran_all_pieces(const PlannedTask& task, const TaskLog& log, TaskStatus status);

}  // namespace troupe::tests
