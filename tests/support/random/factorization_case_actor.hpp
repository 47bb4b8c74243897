/// One factorization on one runtime, with random choices of everything that a caller can choose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linalg/factorization.hpp"
#include "linalg/problem.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::tests {

/// The storage of the matrix while it is factorized.
enum class Storage {
  /// `linalg::Factorization` chooses the storage.
  automatic,
  tiles,
  columns,
  /// The caller's column-major matrix. The rows between its columns must not change.
  in_place,
};

struct FactorizationCase {
  linalg::FactorizationOptions factorization;
  bool single = false;
  std::int64_t rows = 1;
  /// The number of columns. Only for QR may it be less than the number of rows; then no system is solved.
  std::int64_t cols = 1;
  std::int64_t right_hand_sides = 1;
  linalg::ProblemKind problem = linalg::ProblemKind::random;
  Storage storage = Storage::automatic;
  RuntimeOptions runtime;
};

/// Draws from a seed what the caller does not give: right-hand sides, problem, storage, inner block, policy, 1 to 4
/// workers and window. Every eighth case runs under the deterministic scheduler.
[[nodiscard]] FactorizationCase drawn_case(linalg::FactorizationOptions factorization, bool single, std::int64_t n,
                                           std::uint64_t seed);
/// Draws everything from a seed. The size n is from `smallest` to `largest`. Tile sizes are from 1 to more than n, but
/// `task_count` stays below `most_tasks`.
[[nodiscard]] FactorizationCase drawn_case(std::uint64_t seed, std::int64_t smallest, std::int64_t largest,
                                           double most_tasks);

/// Returns the approximate number of tasks of the factorization without the solve.
[[nodiscard]] double task_count(const FactorizationCase& one);
/// Describes a case in words.
[[nodiscard]] std::string describe(const FactorizationCase& one);

/// Assembles the system, factorizes and solves it, and returns the scaled residuals of the factors and of the solution.
std::vector<linalg::Residual> residuals_of(const FactorizationCase& one);

}  // namespace troupe::tests
