// Factorizes a matrix, in a program of somebody else's.
#include <iostream>
#include <troupe/linalg.hpp>
#include <troupe/troupe.hpp>

using namespace troupe;

int main() {
  Runtime runtime;
  const auto a = linalg::assemble<double>(runtime, {linalg::ProblemKind::covariance, 600, 600});
  linalg::DenseMatrix<double> factors = a;
  linalg::Factorization<double> cholesky(runtime, factors, {.application = linalg::Application::cholesky});
  for (const linalg::Residual& residual : cholesky.residuals(a)) {
    if (!residual.accepted()) return 1;
  }
  std::cout << "factorized by " << describe(version()) << "\n";
}
