#include "tests/support/random/factorization_case_actor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "linalg/cholesky.hpp"
#include "linalg/incremental_lu.hpp"
#include "linalg/lu.hpp"
#include "linalg/qr.hpp"
#include "proto/random.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {
namespace {

using linalg::Application;
using linalg::DenseMatrix;
using linalg::FactorizationOptions;
using linalg::ProblemKind;
using linalg::Residual;

const char* to_string(Storage storage) {
  switch (storage) {
    case Storage::automatic: return "automatic";
    case Storage::tiles: return "tiles";
    case Storage::columns: return "columns";
    case Storage::in_place: return "in place";
  }
  return "unknown";
}

/// Draws a size from `low` to `high`. All intervals from s to 2 s are equally likely.
std::int64_t drawn_size(Random& random, std::int64_t low, std::int64_t high) {
  const double share = static_cast<double>(random.below(1U << 30U)) / (1U << 30U);
  const double size =
      static_cast<double>(low) * std::pow(static_cast<double>(high + 1) / static_cast<double>(low), share);
  return std::clamp(static_cast<std::int64_t>(size), low, high);
}

bool needs_definite(const linalg::FactorizationOptions& options) {
  return options.application == linalg::Application::cholesky ||
         (options.application == linalg::Application::lu && options.pivoting == linalg::Pivoting::none);
}

/// The number of rows between the columns of a matrix that is used in place, and the value in these rows. The rows must
/// not change.
constexpr std::int64_t kGap = 3;
constexpr double kUntouched = 12345;

/// A column-major matrix with a gap after each column.
template <class T>
class Padded {
 public:
  Padded(std::int64_t rows, std::int64_t cols)
      : rows_(rows), cols_(cols), values_(static_cast<std::size_t>((rows + kGap) * cols), T{kUntouched}) {}
  explicit Padded(const linalg::DenseMatrix<T>& a) : Padded(a.rows, a.cols) {
    for (std::int64_t j = 0; j < cols_; ++j) std::copy_n(&a(0, j), rows_, data() + j * ld());
  }
  [[nodiscard]] T* data() { return values_.data(); }
  [[nodiscard]] std::int64_t ld() const { return rows_ + kGap; }
  [[nodiscard]] TiledMatrix<T> tiled(Runtime& runtime, TileSize tile) {
    return TiledMatrix<T>::in_place(runtime, data(), rows_, cols_, ld(), tile);
  }
  [[nodiscard]] linalg::DenseMatrix<T> dense() const {
    linalg::DenseMatrix<T> result(rows_, cols_);
    for (std::int64_t j = 0; j < cols_; ++j) std::copy_n(values_.data() + j * ld(), rows_, &result(0, j));
    return result;
  }
  [[nodiscard]] bool gaps_are_untouched() const {
    for (std::int64_t j = 0; j < cols_; ++j) {
      for (std::int64_t i = rows_; i < ld(); ++i) {
        if (values_[static_cast<std::size_t>(i + j * ld())] != T{kUntouched}) return false;
      }
    }
    return true;
  }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  std::vector<T> values_;
};

/// Calls the tile algorithms directly, like a program that chooses the storage of its matrices.
template <class T>
class Direct {
 public:
  Direct(Runtime& runtime, const FactorizationCase& one, const linalg::DenseMatrix<T>& a)
      : runtime_(runtime), one_(one), options_(one.factorization), memory_(a), a_(tiles_of(memory_, a)) {
    switch (options_.application) {
      case linalg::Application::cholesky: linalg::cholesky(runtime, a_); break;
      case linalg::Application::lu:
        switch (options_.pivoting) {
          case linalg::Pivoting::none: linalg::lu_without_pivoting(runtime, a_); break;
          case linalg::Pivoting::partial:
            pivots_.emplace(runtime, a.rows, options_.tile);
            linalg::lu(runtime, a_, *pivots_);
            break;
          case linalg::Pivoting::incremental:
            pairs_.emplace(runtime, a_, options_.inner);
            linalg::lu_incremental(runtime, a_, *pairs_);
            break;
        }
        break;
      case linalg::Application::qr:
        reflectors_.emplace(runtime, a_, options_.inner);
        linalg::qr(runtime, a_, *reflectors_);
        break;
    }
  }

  std::vector<linalg::Residual> residuals(const linalg::DenseMatrix<T>& original) {
    runtime_.wait();
    std::vector<linalg::Residual> result;
    switch (options_.application) {
      case linalg::Application::cholesky: result = {linalg::cholesky_residual(runtime_, original, a_)}; break;
      case linalg::Application::lu:
        result = {pairs_ ? linalg::incremental_lu_residual(runtime_, original, a_, *pairs_)
                         : linalg::lu_residual(runtime_, original, a_, pivots_ ? pivots_->rows() : std::vector<int>{})};
        break;
      case linalg::Application::qr: result = linalg::qr_residuals(runtime_, original, a_, *reflectors_); break;
    }
    if (!memory_.gaps_are_untouched()) result.push_back({"the memory between the columns was written", NAN});
    return result;
  }

  /// Submits the solve's tasks before the factorization has ended, so that the tasks of both overlap.
  linalg::DenseMatrix<T> solve(const linalg::DenseMatrix<T>& b) {
    Padded<T> memory(b);
    TiledMatrix<T> x = tiles_of(memory, b);
    switch (options_.application) {
      case linalg::Application::cholesky: linalg::cholesky_solve(runtime_, a_, x); break;
      case linalg::Application::lu:
        switch (options_.pivoting) {
          case linalg::Pivoting::none: linalg::lu_solve_without_pivoting(runtime_, a_, x); break;
          case linalg::Pivoting::partial: linalg::lu_solve(runtime_, a_, *pivots_, x); break;
          case linalg::Pivoting::incremental: linalg::lu_incremental_solve(runtime_, a_, *pairs_, x); break;
        }
        break;
      case linalg::Application::qr: linalg::qr_solve(runtime_, a_, *reflectors_, x); break;
    }
    linalg::DenseMatrix<T> result(b.rows, b.cols);
    x.scatter_to(result.values.data(), b.rows);
    runtime_.wait();
    return result;
  }

 private:
  TiledMatrix<T> tiles_of(Padded<T>& memory, const linalg::DenseMatrix<T>& from) {
    const TileSize tile(options_.tile_rows > 0 ? options_.tile_rows : options_.tile, options_.tile);
    if (one_.storage == Storage::in_place) return memory.tiled(runtime_, tile);
    TiledMatrix<T> result(runtime_, from.rows, from.cols, tile,
                          one_.storage == Storage::columns ? TileStorage::columns : TileStorage::tiles);
    result.gather_from(from.values.data(), from.rows);
    return result;
  }

  Runtime& runtime_;
  const FactorizationCase& one_;
  const linalg::FactorizationOptions& options_;
  Padded<T> memory_;
  TiledMatrix<T> a_;
  std::optional<linalg::Pivots> pivots_;
  std::optional<linalg::IncrementalFactors<T>> pairs_;
  std::optional<linalg::QrFactors<T>> reflectors_;
};

template <class T>
std::vector<linalg::Residual> run(const FactorizationCase& one) {
  Runtime runtime(one.runtime);
  const auto original = linalg::assemble<T>(runtime, {one.problem, one.rows, one.cols, one.runtime.seed});
  const bool square = one.rows == one.cols;
  const auto b = linalg::random_right_hand_side<T>(one.rows, one.right_hand_sides, one.runtime.seed);
  std::vector<linalg::Residual> result;
  if (one.storage == Storage::automatic) {
    linalg::DenseMatrix<T> a = original;
    linalg::Factorization<T> factorization(runtime, a, one.factorization);
    result = factorization.residuals(original);
    linalg::DenseMatrix<T> x = b;
    if (square) factorization.solve(x);
    if (square) result.push_back(linalg::solve_residual(original, x, b));
  } else {
    Direct<T> direct(runtime, one, original);
    if (square) result.push_back(linalg::solve_residual(original, direct.solve(b), b));
    const std::vector<linalg::Residual> factors = direct.residuals(original);
    result.insert(result.end(), factors.begin(), factors.end());
  }
  return result;
}

}  // namespace

FactorizationCase drawn_case(linalg::FactorizationOptions factorization, bool single, std::int64_t n,
                             std::uint64_t seed) {
  constexpr std::array kPolicies{"eager", "ws", "lws"};
  constexpr std::array<std::size_t, 3> kWindows{16, 1024, 65536};
  constexpr std::array kDefinite{linalg::ProblemKind::random_definite, linalg::ProblemKind::covariance,
                                 linalg::ProblemKind::poisson};
  constexpr std::array kStorages{Storage::automatic, Storage::columns, Storage::in_place, Storage::tiles};
  Random random(seed);
  FactorizationCase one;
  one.factorization = factorization;
  one.factorization.inner = drawn_size(random, 1, std::min(factorization.tile, n) + 1);
  one.single = single;
  one.rows = one.cols = n;
  one.right_hand_sides = drawn_size(random, 1, 40);
  if (needs_definite(factorization)) {
    one.problem = kDefinite[random.below(kDefinite.size())];
  } else {
    one.problem = random.below(3) == 0 ? kDefinite[random.below(kDefinite.size())] : linalg::ProblemKind::random;
  }
  const bool any_storage =
      factorization.application != linalg::Application::lu || factorization.pivoting != linalg::Pivoting::partial;
  one.storage = kStorages[random.below(any_storage ? 4 : 3)];
  one.runtime.cores = 1 + static_cast<int>(random.below(4));
  one.runtime.policy = kPolicies[random.below(kPolicies.size())];
  one.runtime.window = kWindows[random.below(kWindows.size())];
  one.runtime.threads.oversubscribe = true;
  one.runtime.threads.bind = false;
  one.runtime.seed = seed;
  one.runtime.threads.deterministic = random.below(8) == 0;
  return one;
}

FactorizationCase drawn_case(std::uint64_t seed, std::int64_t smallest, std::int64_t largest, double most_tasks) {
  constexpr std::array kApplications{linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr};
  constexpr std::array kPivotings{linalg::Pivoting::none, linalg::Pivoting::partial, linalg::Pivoting::incremental};
  Random random(~seed);
  linalg::FactorizationOptions options;
  options.application = kApplications[random.below(kApplications.size())];
  options.pivoting = kPivotings[random.below(kPivotings.size())];
  const bool single = random.below(2) == 0;
  const std::int64_t n = drawn_size(random, smallest, largest);
  options.tile = drawn_size(random, 1, n + n / 4 + 1);
  FactorizationCase one = drawn_case(options, single, n, seed);
  if (options.application == linalg::Application::qr && random.below(3) == 0) {
    one.cols = drawn_size(random, 1, n);
    one.problem = linalg::ProblemKind::random;
  }
  while (task_count(one) > most_tasks) one.factorization.tile += 1 + one.factorization.tile / 8;
  if (options.application != linalg::Application::qr && random.below(3) == 0) {
    one.factorization.tile_rows = one.factorization.tile * drawn_size(random, 1, 20);
  }
  return one;
}

double task_count(const FactorizationCase& one) {
  const auto across = [&](std::int64_t size) {
    return std::ceil(static_cast<double>(size) / static_cast<double>(one.factorization.tile));
  };
  const double m = across(one.rows);
  const double n = across(one.cols);
  const double conversions = 2 * m * n;
  if (one.factorization.application == linalg::Application::cholesky) return n * (n + 1) * (n + 2) / 6 + conversions;
  return n * n * (m - n / 3) + m * n + conversions;
}

std::string describe(const FactorizationCase& one) {
  const linalg::FactorizationOptions& options = one.factorization;
  return fmt::format(
      "{} (pivoting {}), {}, {} x {} ({}), tile {} (rows {}), inner {}, {}, {} right-hand sides, {} workers, {}, "
      "window {}{}",
      to_string(options.application), to_string(options.pivoting), one.single ? "float" : "double", one.rows, one.cols,
      to_string(one.problem), options.tile, options.tile_rows, options.inner, to_string(one.storage),
      one.right_hand_sides, one.runtime.cores, one.runtime.policy, one.runtime.window,
      one.runtime.threads.deterministic ? ", deterministic" : "");
}

std::vector<linalg::Residual> residuals_of(const FactorizationCase& one) {
  return one.single ? run<float>(one) : run<double>(one);
}

}  // namespace troupe::tests
