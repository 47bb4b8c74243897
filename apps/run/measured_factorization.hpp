/// A generated matrix that is factorized on this machine, once or several times.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/run/factorization_outcome.hpp"
#include "linalg/factorization.hpp"
#include "linalg/problem.hpp"
#include "linalg/residuals.hpp"
#include "traces/analysis/intervals.hpp"
#include "troupe/trace.hpp"

namespace troupe::apps {

/// Returns the default kind of matrix: random, or random and positive definite if the factorization needs that.
[[nodiscard]] inline linalg::ProblemKind default_problem(linalg::Application application, bool without_pivoting) {
  return application == linalg::Application::cholesky || without_pivoting ? linalg::ProblemKind::random_definite
                                                                          : linalg::ProblemKind::random;
}

/// Factorizes one matrix, as often as `run` is called. `T` is float or double.
template <class T>
class MeasuredFactorization {
 public:
  /// Assembles the matrix. `runtime` must outlive this object. A service runs kernels but no code of this program, and
  /// gives no traces. If `runtime` is a service, `own` must therefore be a runtime of this process; it assembles the
  /// matrix, and there is no trace and no residual of the factors.
  MeasuredFactorization(Runtime& runtime, const linalg::Problem& problem, const linalg::FactorizationOptions& options,
                        Runtime* own = nullptr);

  /// Factorizes a copy of the matrix. Passes on the errors of `Factorization`.
  [[nodiscard]] FactorizationOutcome run();
  /// Returns the time from the beginning of the last run to its end, by the clock of traces.
  [[nodiscard]] const traces::Interval& window() const { return window_; }
  /// Returns the residual of the last run's factors (not on a service), and the residual of a system that is solved
  /// with these factors.
  [[nodiscard]] std::vector<linalg::Residual> residuals();

 private:
  [[nodiscard]] Trace take_trace();

  Runtime& runtime_;
  const bool on_service_;
  const linalg::Problem problem_;
  const linalg::FactorizationOptions options_;
  const linalg::DenseMatrix<T> original_;
  /// The factors of the last run.
  linalg::DenseMatrix<T> factors_;
  std::unique_ptr<linalg::Factorization<T>> factorization_;
  traces::Interval window_;
};

}  // namespace troupe::apps
