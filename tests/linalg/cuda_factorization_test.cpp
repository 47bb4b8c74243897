// The applications on GPUs and cores together. The GPUs are fake; if TROUPE_TEST_GPU says "real", there is one real
// GPU.
#include "linalg/factorization.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "linalg/problem.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime.hpp"

namespace troupe::linalg {

namespace cuda_factorization {

constexpr std::int64_t kOrder = 320;
constexpr std::int64_t kTile = 64;

struct Fixture : tests::CudaFixture {
  Fixture() : CudaFixture({.devices = 2, .memory = std::uint64_t{1} << 30U}) {}

  /// Returns options. `share` is the part of the matrix's memory that fits into each GPU's memory, which fakes fill
  /// with a pattern.
  [[nodiscard]] RuntimeOptions options(const std::string& policy, double share) const {
    RuntimeOptions result;
    result.cores = 2;
    result.threads.oversubscribe = true;
    result.policy = policy;
    result.gpus = fake != nullptr ? 2 : 1;
    result.accelerators.gpu_memory = Bytes{static_cast<std::uint64_t>(share * kOrder * kOrder * sizeof(double))};
    return result;
  }
};

std::uint64_t tasks_on_gpus(const Runtime& runtime) {
  std::uint64_t tasks = 0;
  for (const WorkerReport& worker : runtime.report().workers) {
    if (worker.kind == DeviceKind::cuda) tasks += worker.counts.tasks;
  }
  return tasks;
}

template <class T>
void factorize(const RuntimeOptions& options, Application application, Pivoting pivoting) {
  Runtime runtime(options);
  const bool definite = application == Application::cholesky || pivoting == Pivoting::none;
  const DenseMatrix<T> original =
      assemble<T>(runtime, {definite ? ProblemKind::random_definite : ProblemKind::random, kOrder, kOrder, 3});
  DenseMatrix<T> a = original;
  FactorizationOptions how{.application = application, .tile = kTile, .tile_rows = kTile, .inner = 16};
  how.pivoting = pivoting;
  Factorization<T> factors(runtime, a, how);
  for (const Residual& residual : factors.residuals(original)) {
    BOOST_TEST(residual.accepted(), residual.formula << " = " << residual.value);
  }
  BOOST_TEST(tasks_on_gpus(runtime) > 0U);
}

}  // namespace cuda_factorization

BOOST_FIXTURE_TEST_SUITE(cuda_factorization, Fixture)

BOOST_AUTO_TEST_CASE(all_applications_are_right_on_cores_and_gpus) {
  for (const char* policy : {"heft", "dada:alpha=0.5,cp"}) {
    for (const Application application : {Application::cholesky, Application::lu, Application::qr}) {
      BOOST_TEST_CONTEXT(to_string(application) << " under " << policy) {
        factorize<double>(options(policy, 10), application, Pivoting::partial);
        factorize<float>(options(policy, 10), application, Pivoting::partial);
      }
    }
    factorize<double>(options(policy, 10), Application::lu, Pivoting::none);
  }
}

BOOST_AUTO_TEST_CASE(all_applications_are_right_with_memory_for_a_quarter_of_the_matrix) {
  for (const Application application : {Application::cholesky, Application::lu, Application::qr}) {
    BOOST_TEST_CONTEXT(to_string(application)) {
      factorize<double>(options("heft", 0.25), application, Pivoting::partial);
    }
  }
  factorize<double>(options("heft", 0.25), Application::lu, Pivoting::none);
}

BOOST_AUTO_TEST_CASE(a_matrix_that_is_not_positive_definite_is_named_by_its_minor_wherever_that_is_found) {
  for (const std::int64_t bad : {std::int64_t{0}, kTile + 5, kOrder - 1}) {
    Runtime runtime(options("heft", 10));
    DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random_definite, kOrder, kOrder, 3});
    a(bad, bad) = -1;
    try {
      Factorization<double> factors(runtime, a, {.application = Application::cholesky, .tile = kTile});
      BOOST_ERROR("an indefinite matrix was factorized");
    } catch (const Error& error) {
      BOOST_TEST((error.code() == ErrorCode::numerical));
      BOOST_TEST(std::string(error.what()).find("leading minor of order " + std::to_string(bad + 1) + " ") !=
                 std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
