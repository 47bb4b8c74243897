#include "lab/experiments/clusters/independent_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "troupe/devices.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kTimedAs = "cholesky/gemm/double";

/// Returns a codelet for a product without data. In virtual time the kernel computes nothing.
Codelet timed_product() {
  const auto nothing = [](const KernelContext&) {};
  Codelet product("gemm", {});
  product.timed_as(kTimedAs);
  product.cpu_team(nothing);
  product.cuda(nothing);
  product.flops([](const KernelContext&) { return 2.0 * kProductTile * kProductTile * kProductTile; });
  return product;
}

}  // namespace

std::string ProductDistribution::text() const {
  std::string text;
  for (const std::uint64_t tasks : cores) text += fmt::format("{} + ", tasks);
  return text + std::to_string(gpu);
}

ProductDistribution distribute_products(platform::MachineDescription machine, int cores, const std::string& clusters,
                                        const std::string& policy) {
  auto simulation = std::make_shared<SimulationOptions>();
  simulation->machine = std::move(machine);
  simulation->gpus = {0};
  simulation->cores = cores;
  simulation->clusters = clusters;
  RuntimeOptions options;
  options.policy = policy;
  options.simulation = std::move(simulation);
  Runtime runtime(options);
  const Codelet product = timed_product();
  for (int i = 0; i < kProducts; ++i) runtime.submit(product, {});
  runtime.wait();
  const RunReport report = runtime.report();
  ProductDistribution distribution;
  for (const WorkerReport& worker : report.workers) {
    if (is_accelerator(worker.kind)) {
      distribution.gpu += worker.counts.tasks;
    } else if (worker.counts.tasks > 0) {
      distribution.cores.push_back(worker.counts.tasks);
    }
  }
  std::sort(distribution.cores.begin(), distribution.cores.end(), std::greater<>());
  distribution.seconds = seconds(*report.virtual_time);
  return distribution;
}

double best_makespan(const platform::MachineDescription& machine, int clusters) {
  const platform::KernelTimes* times = machine.find_kernel("cholesky", "gemm", "double");
  if (times == nullptr) {
    throw Error(ErrorCode::bad_input, fmt::format("machine '{}' has no times for {}", machine.name, kTimedAs));
  }
  const double gpu_us = times->gpu(0, kProductTile).mean_us;
  const double cluster_us = times->cluster(10, kProductTile).mean_us;
  double best_us = std::numeric_limits<double>::infinity();
  for (int on_gpu = 0; on_gpu <= kProducts; ++on_gpu) {
    const int most = (kProducts - on_gpu + clusters - 1) / clusters;
    best_us = std::min(best_us, std::max(on_gpu * gpu_us, most * cluster_us));
  }
  return best_us / 1e6;
}

}  // namespace troupe::apps
