/// One factorization on one runtime, with all choices that a caller can make.
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
  /// `apps::Factorization` decides.
  automatic,
  tiles,
  columns,
  /// The caller's column-major matrix, with rows between the columns that must not change.
  in_place,
};

struct FactorizationCase {
  linalg::FactorizationOptions factorization;
  bool single = false;
  std::int64_t rows = 1;
  /// The number of columns. It may be less than the number of rows for QR only; then nothing is solved.
  std::int64_t cols = 1;
  std::int64_t right_hand_sides = 1;
  linalg::ProblemKind problem = linalg::ProblemKind::random;
  Storage storage = Storage::automatic;
  RuntimeOptions runtime;
};

/// Draws everything except application, precision, size and tile from a seed: right-hand sides, problem, storage, inner
/// block, policy, 1 to 4 workers, window. Every eighth case runs under the deterministic scheduler.
[[nodiscard]] FactorizationCase drawn_case(linalg::FactorizationOptions factorization, bool single, std::int64_t n,
                                           std::uint64_t seed);
/// Draws everything from a seed: n from `smallest` to `largest`, and tile sizes from 1 to beyond n such that
/// `task_count` stays below `most_tasks`.
[[nodiscard]] FactorizationCase drawn_case(std::uint64_t seed, std::int64_t smallest, std::int64_t largest,
                                           double most_tasks);

/// Returns the approximate number of tasks of the factorization alone.
[[nodiscard]] double task_count(const FactorizationCase& one);
/// Describes a case for people.
[[nodiscard]] std::string describe(const FactorizationCase& one);

/// Assembles the system, factorizes and solves it, and returns the scaled residuals of the factors and of the solution.
std::vector<linalg::Residual> residuals_of(const FactorizationCase& one);

}  // namespace troupe::tests
