#include "apps/experiments/independent_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "apps/simulate/modelled_codelets.hpp"
#include "client/runtime.hpp"
#include "client/tiled_matrix.hpp"

namespace troupe::apps {

namespace {

/// In 10^6 bytes per second: a tile takes less than a microsecond.
constexpr double kFree = 1e9;

platform::MachineDescription with_free_copies(platform::MachineDescription machine) {
  for (platform::DescribedLink& link : machine.links) link.bandwidth_mb_per_s = kFree;
  for (platform::DescribedRoute& route : machine.routes) {
    route.bandwidth_mb_per_s = kFree;
    route.latency = Duration{};
  }
  return machine;
}

const platform::KernelTimes& product(const platform::MachineDescription& machine) {
  const auto* times = machine.find_kernel("cholesky", "gemm", "double");
  if (times == nullptr) throw Error(ErrorCode::bad_input, "the machine has no times for cholesky/gemm/double");
  return *times;
}

}  // namespace

std::string ProductShares::text() const {
  std::string text;
  for (const std::uint64_t tasks : cores) text += fmt::format("{} + ", tasks);
  return text + std::to_string(gpu);
}

ProductShares share_products(platform::MachineDescription machine, int cores, const std::string& clusters,
                             const std::string& policy) {
  auto simulation = std::make_shared<SimulationOptions>();
  simulation->machine = with_free_copies(std::move(machine));
  simulation->gpus = {0};
  simulation->cores = cores;
  simulation->clusters = clusters;
  const auto kernel =
      modelled_codelets<double>(linalg::Application::cholesky, simulation->machine).value_or_throw().gemm_nt;
  RuntimeOptions options;
  options.policy = policy;
  options.simulation = std::move(simulation);
  Runtime runtime(options);
  TiledMatrix<double> factors(runtime, kProductTile, 2 * kProductTile, kProductTile, TileStorage::none);
  TiledMatrix<double> sums(runtime, kProducts * kProductTile, kProductTile, kProductTile, TileStorage::none);
  for (int i = 0; i < kProducts; ++i) {
    runtime.submit(kernel, {factors(0, 0), factors(0, 1), sums(i, 0)}, args(std::int64_t{0}));
  }
  runtime.wait();
  const RunReport report = runtime.report();
  ProductShares shares;
  for (const WorkerReport& worker : report.workers) {
    if (is_accelerator(worker.kind)) {
      shares.gpu += worker.tasks;
    } else if (worker.tasks > 0) {
      shares.cores.push_back(worker.tasks);
    }
  }
  std::sort(shares.cores.begin(), shares.cores.end(), std::greater<>());
  shares.seconds = seconds(*report.virtual_time);
  return shares;
}

double best_makespan(const platform::MachineDescription& machine, int clusters) {
  const double gpu_us = product(machine).gpu(0, kProductTile).mean_us;
  const double cluster_us = product(machine).cluster(10, kProductTile).mean_us;
  double best_us = std::numeric_limits<double>::infinity();
  for (int on_gpu = 0; on_gpu <= kProducts; ++on_gpu) {
    const int most = (kProducts - on_gpu + clusters - 1) / clusters;
    best_us = std::min(best_us, std::max(on_gpu * gpu_us, most * cluster_us));
  }
  return best_us / 1e6;
}

}  // namespace troupe::apps
