#include "lab/bench/gpu/measurements.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "apps/run/run_summary.hpp"
#include "lab/bench/gpu/batched_product.hpp"
#include "lab/bench/gpu/cuda_peers.hpp"
#include "lab/bench/gpu/generated_system.hpp"
#include "lab/bench/gpu/tiled_product.hpp"
#include "lab/bench/gpu/tiles_of_memory.hpp"
#include "lab/bench/statistics.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/residuals.hpp"

namespace troupe::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double cholesky_flops(std::int64_t order) {
  const auto n = static_cast<double>(order);
  return n * n * n / 3 + n * n / 2;
}

/// Returns options for the GPU and one core. The core runs the tasks that the GPU cannot run.
RuntimeOptions gpu_alone(const GpuBenchOptions& options) {
  RuntimeOptions result;
  result.cores = 1;
  result.gpus = options.gpus;
  result.policy = options.policy;
  return result;
}

/// The seconds of Troupe and of its peer (the NVIDIA library), measured in turn. The first measurement of each is a
/// warm-up.
struct Rounds {
  std::vector<double> own;
  std::vector<double> peer;

  void measure(int count, const std::function<double()>& troupe, const std::function<double()>& other) {
    for (int i = 0; i <= count; ++i) {
      const double own_seconds = troupe();
      const double peer_seconds = other ? other() : 0;
      if (i == 0) continue;
      own.push_back(own_seconds);
      if (other) peer.push_back(peer_seconds);
    }
  }

  void report(GpuFigure& figure, double flops) const {
    figure.seconds = median_of(own);
    figure.gflops = flops / figure.seconds * 1e-9;
    if (peer.empty()) return;
    figure.peer_seconds = median_of(peer);
    figure.ratio = median_of(ratios(peer, own));
  }
};

/// Factorizes the same generated matrix repeatedly.
class GeneratedCholesky {
 public:
  GeneratedCholesky(const RuntimeOptions& options, const GeneratedSystem& system)
      : runtime_(options), system_(system), memory_(runtime_, system.n, system.tile, TilePart::lower, "A") {}

  /// Factorizes in the memory in which the tiles were generated; the factor stays where it was computed.
  double factorize() {
    memory_.generate(system_.seed, system_.diagonal());
    runtime_.wait();
    const auto start = Clock::now();
    linalg::cholesky(runtime_, memory_.tiles());
    runtime_.wait();
    return seconds_since(start);
  }

  /// Factorizes with the data in host memory at the beginning and at the end.
  double factorize_from_home() {
    memory_.generate(system_.seed, system_.diagonal());
    runtime_.wait();
    memory_.bring_home(AccessMode::read_write);
    const auto start = Clock::now();
    linalg::cholesky(runtime_, memory_.tiles());
    memory_.bring_home(AccessMode::read);
    runtime_.wait();
    return seconds_since(start);
  }

  double residual() { return residual_of(runtime_, system_, memory_.tiles()); }
  [[nodiscard]] RunReport report() const { return runtime_.report(); }

 private:
  Runtime runtime_;
  GeneratedSystem system_;
  TilesOfMemory memory_;
};

/// Returns a figure that `measure` fills in. If `measure` fails, the figure contains the reason.
template <class F>
GpuFigure figure_of(std::string what, F measure) {
  GpuFigure figure;
  figure.what = std::move(what);
  try {
    measure(figure);
  } catch (const std::exception& error) {
    figure.failure = error.what();
  }
  return figure;
}

double mean_prediction_error(const RunReport& report) {
  PredictionErrors all;
  for (const PredictionReport& of : report.predictions) all += of.errors;
  return all.tasks == 0 ? -1 : all.mean_relative();
}

}  // namespace

bool GpuFigure::accepted() const {
  return failure.empty() && residual < linalg::kResidualBound && peer_residual < linalg::kResidualBound;
}

GpuFigure measure_in_memory(const GpuBenchOptions& options, std::int64_t n) {
  return figure_of(fmt::format("Cholesky, n = {}, in GPU memory", n), [&](GpuFigure& figure) {
    const GeneratedSystem system{.n = n, .tile = options.tile};
    RuntimeOptions runtime = gpu_alone(options);
    // Troupe's memory has room only for the matrix and the check, because the peer must fit into the rest of the GPU.
    const std::uint64_t spare = 16 * static_cast<std::uint64_t>(options.tile * options.tile) * sizeof(double);
    runtime.accelerators.gpu_memory = Bytes{memory_of(n, options.tile, TilePart::lower).count + spare};
    GeneratedCholesky own(runtime, system);
    std::optional<CusolverCholesky> peer;
    if (options.gpus > 0) peer.emplace(system);
    Rounds rounds;
    rounds.measure(
        options.rounds, [&] { return own.factorize(); },
        peer ? std::function<double()>([&] { return peer->factorize(); }) : nullptr);
    rounds.report(figure, cholesky_flops(n));
    figure.residual = own.residual();
    if (!peer) return;
    figure.peer = "cuSOLVER Xpotrf";
    figure.target = 1;
    figure.peer_residual = peer->residual();
  });
}

GpuFigure measure_out_of_core(const GpuBenchOptions& options, double in_memory_gflops) {
  const std::int64_t n = options.out_of_core;
  return figure_of(fmt::format("Cholesky, n = {}, GPU memory for a quarter of n x n", n), [&](GpuFigure& figure) {
    const GeneratedSystem system{.n = n, .tile = options.tile};
    RuntimeOptions runtime = gpu_alone(options);
    runtime.accelerators.gpu_memory = Bytes{static_cast<std::uint64_t>(n * n) * sizeof(double) / 4};
    GeneratedCholesky own(runtime, system);
    Rounds rounds;
    rounds.measure(
        options.rounds, [&] { return own.factorize_from_home(); }, nullptr);
    rounds.report(figure, cholesky_flops(n));
    figure.residual = own.residual();
    if (options.gpus == 0 || in_memory_gflops <= 0) return;
    figure.peer = "Troupe, in GPU memory";
    figure.ratio = figure.gflops / in_memory_gflops;
    figure.target = 0.7;
  });
}

GpuFigure measure_product(const GpuBenchOptions& options) {
  const std::int64_t n = options.product;
  return figure_of(fmt::format("C - A B, n = {}, from and to host memory", n), [&](GpuFigure& figure) {
    Runtime runtime(gpu_alone(options));
    TiledProduct own(runtime, n, options.tile);
    Rounds rounds;
    rounds.measure(
        options.rounds, [&] { return own.multiply(); }, nullptr);
    // The residual is computed before the peer overwrites Troupe's result.
    figure.residual = own.residual();
    if (options.gpus > 0) {
      Rounds other;
      other.measure(
          options.rounds, [&] { return own.multiply_by_cublasxt(); }, nullptr);
      rounds.peer = other.own;
      figure.peer = "cuBLASXt Dgemm";
      figure.target = 1;
    }
    const auto order = static_cast<double>(n);
    rounds.report(figure, 2 * order * order * order);
  });
}

template <class T>
GpuFigure measure_batched_product(const GpuBenchOptions& options, int super) {
  const BatchedShape shape{super, options.block};
  const char* const precision = sizeof(T) == sizeof(float) ? "float" : "double";
  return figure_of(
      fmt::format("C - A B, super-blocks of {0} x {0} blocks of {1}, {2}", super, options.block, precision),
      [&](GpuFigure& figure) {
        const bool on_gpu = options.gpus > 0;
        const auto product = on_gpu ? batched_product_on_a_gpu<T>(shape) : batched_product_on_a_core<T>(shape);
        Rounds rounds;
        rounds.measure(
            options.rounds, [&] { return product->multiply(); },
            on_gpu ? std::function<double()>([&] { return product->multiply_as_one(); }) : nullptr);
        const auto order = static_cast<double>(shape.order());
        rounds.report(figure, 2 * order * order * order);
        figure.launches = product->launches();
        figure.residual = product->residual();
        if (!on_gpu) return;
        figure.peer = fmt::format("cuBLAS gemm, n = {}", shape.order());
        figure.target = 0.35;
      });
}

template GpuFigure measure_batched_product<float>(const GpuBenchOptions&, int);
template GpuFigure measure_batched_product<double>(const GpuBenchOptions&, int);

GpuFigure measure_policy(const GpuBenchOptions& options, const std::string& policy) {
  const std::int64_t n = options.policies;
  return figure_of(fmt::format("Cholesky, n = {}, all cores and the GPU, {}", n, policy), [&](GpuFigure& figure) {
    RuntimeOptions runtime;
    runtime.gpus = options.gpus;
    runtime.policy = policy;
    GeneratedCholesky own(runtime, {.n = n, .tile = options.policy_tile});
    // In the first factorization, the runtime learns how long kernels take.
    (void)own.factorize_from_home();
    const RunReport before = own.report();
    Rounds rounds;
    rounds.measure(
        options.rounds, [&] { return own.factorize_from_home(); }, nullptr);
    rounds.report(figure, cholesky_flops(n));
    figure.prediction_error = mean_prediction_error(apps::difference(own.report(), before));
    figure.residual = own.residual();
  });
}

}  // namespace troupe::bench
