#include "apps/run/measured_factorization.hpp"

#include "apps/arguments/trace_arguments.hpp"
#include "apps/run/run_summary.hpp"

namespace troupe::apps {

template <class T>
MeasuredFactorization<T>::MeasuredFactorization(Runtime& runtime, const linalg::Problem& problem,
                                                const linalg::FactorizationOptions& options, Runtime* own)
    : runtime_(runtime),
      on_service_(own != nullptr),
      problem_(problem),
      options_(options),
      original_(linalg::assemble<T>(own != nullptr ? *own : runtime, problem)) {}

template <class T>
Trace MeasuredFactorization<T>::take_trace() {
  return on_service_ ? Trace() : runtime_.take_trace();
}

template <class T>
FactorizationOutcome MeasuredFactorization<T>::run() {
  // Destroy the old factorization first, because its tiles refer to the matrix.
  factorization_.reset();
  [[maybe_unused]] const Trace earlier = take_trace();
  factors_ = original_;
  const RunReport before = runtime_.report();
  const TimeStamp start = trace_time();
  factorization_ = std::make_unique<linalg::Factorization<T>>(runtime_, factors_, options_);
  window_ = {start, trace_time()};
  FactorizationOutcome outcome;
  outcome.seconds = factorization_->seconds();
  outcome.gflops = linalg::flop_count(options_.application, problem_.rows, problem_.cols) / outcome.seconds * 1e-9;
  outcome.report = difference(report_at_end(runtime_), before);
  outcome.tasks = outcome.report.ended;
  outcome.trace = take_trace();
  return outcome;
}

template <class T>
std::vector<linalg::Residual> MeasuredFactorization<T>::residuals() {
  std::vector<linalg::Residual> residuals;
  if (!on_service_) residuals = factorization_->residuals(original_);
  const linalg::DenseMatrix<T> b = linalg::random_right_hand_side<T>(original_.rows, 1, problem_.seed);
  linalg::DenseMatrix<T> x = b;
  factorization_->solve(x);
  residuals.push_back(linalg::solve_residual(original_, x, b));
  return residuals;
}

template class MeasuredFactorization<float>;
template class MeasuredFactorization<double>;

}  // namespace troupe::apps
