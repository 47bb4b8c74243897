/// The factorizations of LAPACK: calls dpotrf, dgetrf and dgeqrf directly, in place.
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "lab/bench/factorization_case.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"

extern "C" {
// The symbol is weak, because another BLAS library may be linked; that library takes its number of threads from the
// environment.
[[gnu::weak]] void openblas_set_num_threads(int);
void dpotrf_(const char*, const int*, double*, const int*, int*, std::size_t);
void dpotrs_(const char*, const int*, const int*, const double*, const int*, double*, const int*, int*, std::size_t);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*, const int*, int*,
             std::size_t);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dormqr_(const char*, const char*, const int*, const int*, const int*, const double*, const int*, const double*,
             double*, const int*, double*, const int*, int*, std::size_t, std::size_t);
void dtrtrs_(const char*, const char*, const char*, const int*, const int*, const double*, const int*, double*,
             const int*, int*, std::size_t, std::size_t, std::size_t);
}

namespace troupe::bench {
namespace {

constexpr int kOne = 1;

void require_success(int info, const char* routine) {
  if (info != 0) throw std::runtime_error(std::string(routine) + " returned " + std::to_string(info));
}

class LapackCholesky : public Factors {
 public:
  explicit LapackCholesky(Matrix& a) : a_(a), n_(static_cast<int>(a.rows)) {
    int info = 0;
    dpotrf_("L", &n_, a.values.data(), &n_, &info, 1);
    require_success(info, "dpotrf");
  }
  void solve(Matrix& b) override {
    int info = 0;
    dpotrs_("L", &n_, &kOne, a_.values.data(), &n_, b.values.data(), &n_, &info, 1);
  }

 private:
  Matrix& a_;
  const int n_;
};

class LapackLu : public Factors {
 public:
  explicit LapackLu(Matrix& a) : a_(a), n_(static_cast<int>(a.rows)), pivots_(static_cast<std::size_t>(a.rows)) {
    int info = 0;
    dgetrf_(&n_, &n_, a.values.data(), &n_, pivots_.data(), &info);
    require_success(info, "dgetrf");
  }
  void solve(Matrix& b) override {
    int info = 0;
    dgetrs_("N", &n_, &kOne, a_.values.data(), &n_, pivots_.data(), b.values.data(), &n_, &info, 1);
  }

 private:
  Matrix& a_;
  const int n_;
  std::vector<int> pivots_;
};

class LapackQr : public Factors {
 public:
  explicit LapackQr(Matrix& a) : a_(a), n_(static_cast<int>(a.rows)), scales_(static_cast<std::size_t>(a.rows)) {
    int info = 0;
    double best_size = 0;
    const int ask = -1;
    dgeqrf_(&n_, &n_, a.values.data(), &n_, scales_.data(), &best_size, &ask, &info);
    work_.resize(static_cast<std::size_t>(best_size));
    const auto size = static_cast<int>(work_.size());
    dgeqrf_(&n_, &n_, a.values.data(), &n_, scales_.data(), work_.data(), &size, &info);
    require_success(info, "dgeqrf");
  }
  void solve(Matrix& b) override {
    int info = 0;
    const auto size = static_cast<int>(work_.size());
    dormqr_("L", "T", &n_, &kOne, &n_, a_.values.data(), &n_, scales_.data(), b.values.data(), &n_, work_.data(), &size,
            &info, 1, 1);
    dtrtrs_("U", "N", "N", &n_, &kOne, a_.values.data(), &n_, b.values.data(), &n_, &info, 1, 1, 1);
  }

 private:
  Matrix& a_;
  const int n_;
  std::vector<double> scales_;
  std::vector<double> work_;
};

std::unique_ptr<Factors> factorize(Algorithm algorithm, Matrix& a) {
  switch (algorithm) {
    case Algorithm::cholesky: return std::make_unique<LapackCholesky>(a);
    case Algorithm::lu: return std::make_unique<LapackLu>(a);
    case Algorithm::qr: return std::make_unique<LapackQr>(a);
  }
  return nullptr;
}

}  // namespace

Json linalg(Parameters& parameters) {
  const FactorizationCase options = factorization_case(parameters);
  parameters.require_all_used();
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(options.cores);
  return measure_factorization(options, [&](Matrix& a) { return factorize(options.algorithm, a); });
}

}  // namespace troupe::bench
