// Tests the applications on GPUs and cores together. The GPUs are fake. If the environment variable TROUPE_TEST_GPU is
// "real", there is one real GPU.
#include "linalg/factorization.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "linalg/gpu_rate.hpp"
#include "linalg/problem.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime.hpp"

namespace troupe::linalg {

namespace cuda_factorization {

constexpr std::int64_t kOrder = 320;
constexpr std::int64_t kTile = 64;

struct Fixture : tests::CudaFixture {
  explicit Fixture(const tests::FakeCudaOptions& options = {.devices = 2, .memory = std::uint64_t{1} << 30U})
      : CudaFixture(options) {}

  /// Returns options. `share` is the ratio of each GPU's memory to the memory of the whole matrix. Fake GPUs fill new
  /// memory with a pattern.
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

/// A GPU with 4.1 TFlop/s in float and a sixteenth of that rate in double.
struct OneGpu : Fixture {
  OneGpu()
      : Fixture({.devices = 1,
                 .memory = std::uint64_t{1} << 30U,
                 .capability_minor = 1,
                 .multiprocessors = 16,
                 .single_to_double = 16}) {}

  [[nodiscard]] RuntimeOptions with_memory(Bytes memory) const {
    RuntimeOptions result = options("homeward", 10);
    result.gpus = 1;
    result.accelerators.gpu_memory = memory;
    return result;
  }
};

/// Returns the tile size that Troupe chooses for a matrix of order 4096.
template <class T>
std::int64_t chosen(const Runtime& runtime) {
  const TileSize tile = default_tile_size(runtime, Application::cholesky, 4096, sizeof(T), 0);
  BOOST_TEST(tile.rows == tile.cols);
  return tile.cols;
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

BOOST_FIXTURE_TEST_CASE(tiles_follow_from_the_gpu_that_the_runtime_has, OneGpu) {
  if (!needs_fake()) return;
  const std::int64_t on_cores = default_tile(Application::cholesky, 4096);
  {
    const Runtime runtime(with_memory(Bytes{256 << 20}));
    BOOST_TEST(chosen<float>(runtime) == 512);
    BOOST_TEST(chosen<double>(runtime) == on_cores);
  }
  // Four tasks with three tiles each must fit into the GPU's memory.
  const Runtime small(with_memory(Bytes{8 << 20}));
  BOOST_TEST(chosen<float>(small) == 384);
  RuntimeOptions options = with_memory(Bytes{1 << 20});
  options.gpus = 0;
  const Runtime cores(options);
  const TileSize tall = default_tile_size(cores, Application::cholesky, 4096, sizeof(float), 0);
  BOOST_TEST(tall.cols == on_cores);
  BOOST_TEST(tall.rows == default_tile_rows(4096, on_cores, cores.workers()));
}

BOOST_FIXTURE_TEST_CASE(a_factorization_without_a_tile_takes_that_of_the_gpu, OneGpu) {
  if (!needs_fake()) return;
  Runtime runtime(with_memory(Bytes{64 << 20}));
  const DenseMatrix<float> original = assemble<float>(runtime, {ProblemKind::random_definite, 1024, 1024, 3});
  const auto tasks = [&](const FactorizationOptions& how) {
    DenseMatrix<float> a = original;
    const std::uint64_t before = runtime.report().submitted;
    const Factorization<float> factors(runtime, a, how);
    return runtime.report().submitted - before;
  };
  const std::uint64_t with_tile_of_gpu = tasks({.tile = 128, .tile_rows = 128});
  BOOST_TEST(tasks({}) == with_tile_of_gpu);
  BOOST_TEST(tasks({.tile = 128}) == with_tile_of_gpu);
  BOOST_TEST(tasks({.tile = default_tile(Application::cholesky, 1024)}) > with_tile_of_gpu);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
