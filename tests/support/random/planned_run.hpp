/// What the kernels of random programs do.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "graph/codelets/kernel_context.hpp"
#include "tests/support/random/random_program.hpp"

namespace troupe::tests {

/// A planned task while it runs, whole or in pieces.
struct PlannedRun {
  int index = 0;
  const PlannedTask& task;
  TaskLog& log;
  /// See `TaskLog`.
  std::atomic<std::uint64_t>& clock;
  const KernelContext& context;

  /// Before either.
  void begin() const;
  void run_whole() const;
  /// Reads everything, and says how many pieces there are.
  [[nodiscard]] std::int64_t begin_pieces() const;
  /// Several may run at once.
  void run_piece(std::size_t piece) const;
};

/// False where a task has succeeded in pieces and some did not run, or ran twice.
[[nodiscard]] bool ran_all_pieces(const PlannedTask& task, const TaskLog& log, TaskStatus status);

}  // namespace troupe::tests
