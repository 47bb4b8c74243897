/// A matrix that is made for the purpose and factorized on this machine, once or several times.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/intervals.hpp"
#include "actors/trace.hpp"
#include "apps/factorization.hpp"
#include "apps/factorization_outcome.hpp"
#include "apps/problem.hpp"
#include "apps/residuals.hpp"

namespace troupe::apps {

/// Random, or random and positive definite where the factorization needs it.
[[nodiscard]] inline ProblemKind default_problem(Application application, bool without_pivoting) {
  return application == Application::cholesky || without_pivoting ? ProblemKind::random_definite : ProblemKind::random;
}

/// `T` is float or double.
template <class T>
class MeasuredFactorization {
 public:
  /// Assembles the matrix. `runtime` outlives this. A service runs kernels but nothing of this program, and gives no
  /// traces: where `runtime` is one, `own` is a runtime of ours that assembles, and there are neither a trace nor
  /// residuals of the factors.
  MeasuredFactorization(Runtime& runtime, const Problem& problem, const FactorizationOptions& options,
                        Runtime* own = nullptr);

  /// Factorizes a copy of it. Throws what `Factorization` throws.
  [[nodiscard]] FactorizationOutcome run();
  /// From the beginning of the last run to its end, by the clock of traces.
  [[nodiscard]] const actors::Interval& window() const { return window_; }
  /// Of the last run's factors (not on a service), and of a system that is solved with them.
  [[nodiscard]] std::vector<Residual> residuals();

 private:
  [[nodiscard]] Trace take_trace();

  Runtime& runtime_;
  const bool on_service_;
  const Problem problem_;
  const FactorizationOptions options_;
  const DenseMatrix<T> original_;
  /// Of the last run.
  DenseMatrix<T> factors_;
  std::unique_ptr<Factorization<T>> factorization_;
  actors::Interval window_;
};

}  // namespace troupe::apps
