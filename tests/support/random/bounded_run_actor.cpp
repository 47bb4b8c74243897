#include "tests/support/random/bounded_run_actor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/simulate/simulation_bound.hpp"
#include "proto/random.hpp"
#include "tests/support/drawing.hpp"
#include "tests/support/known_machine.hpp"
#include "tests/support/random/random_machine.hpp"
#include "tests/support/random/random_policy.hpp"
#include "tests/support/random/random_program.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

namespace {

using apps::GraphRecorder;
using apps::Precision;
using linalg::Application;
using platform::MachineDescription;

/// The name of a kernel in machine descriptions. Its number of operations is `flops_per_cube` times the cube of the
/// tile size.
struct KernelName {
  const char* name;
  double flops_per_cube;
};

std::vector<KernelName> kernels_of(Application application) {
  switch (application) {
    case Application::cholesky: return {{"potrf", 1.0 / 3}, {"trsm", 1}, {"syrk", 1}, {"gemm", 2}};
    case Application::lu:
      return {{"getrf_nopiv", 2.0 / 3}, {"trsm_left_lower", 1}, {"trsm_right_upper", 1}, {"gemm", 2}};
    case Application::qr: return {{"geqrt", 4.0 / 3}, {"unmqr", 2}, {"tsqrt", 2}, {"tsmqr", 4}};
  }
  return {};
}

/// Draws times for one to three tile sizes. A larger tile need not take longer. Few kernels run only on GPUs or only on
/// cores.
std::vector<platform::TileTimes> random_tiles(Random& random, double flops_per_cube, std::size_t gpus) {
  const bool on_gpus = gpus > 0 && !chance(random, 10);
  const bool on_cores = !on_gpus || !chance(random, 5);
  const double deviation = chance(random, 40) ? 0 : between(random, 0, 0.3);
  const double gpu_speed = between(random, 0.3, 30);
  std::vector<platform::TileTimes> tiles;
  for (double edge = 32; edge <= 128; edge *= 2) {
    if (!tiles.empty() && chance(random, 30)) continue;
    platform::TileTimes tile{edge, flops_per_cube * edge * edge * edge, {}, {}};
    const double us = tile.flops / between(random, 500, 20000);
    if (on_cores) {
      tile.cpu = platform::KernelTime{us, us * deviation};
      tile.clusters = random_clusters(*tile.cpu);
    }
    for (std::size_t gpu = 0; on_gpus && gpu < gpus; ++gpu) {
      const double there = us / gpu_speed * (chance(random, 30) ? between(random, 0.2, 5) : 1);
      tile.gpus.push_back({there, there * deviation * (chance(random, 50) ? 1 : between(random, 0, 2))});
    }
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

MachineDescription machine_for(Random& random, Application application) {
  MachineDescription machine = random_machine(random, static_cast<int>(random.below(5)));
  machine.cores += static_cast<int>(machine.gpus.size());
  for (const KernelName& kernel : kernels_of(application)) {
    for (const char* precision : {"single", "double"}) {
      machine.kernels.emplace_back(to_string(application), kernel.name, precision,
                                   random_tiles(random, kernel.flops_per_cube, machine.gpus.size()),
                                   machine.gpus.size());
    }
  }
  for (platform::DescribedGpu& gpu : machine.gpus) {
    gpu.launch = std::chrono::microseconds(chance(random, 50) ? 0 : random.below(20));
    gpu.notice = std::chrono::microseconds(chance(random, 50) ? 0 : random.below(40));
  }
  return machine;
}

/// Draws options: some of the machine's GPUs in any order, some of its cores, and any assumption.
SimulationOptions random_options(Random& random, MachineDescription machine) {
  SimulationOptions options;
  std::vector<int> gpus;
  for (std::size_t gpu = 0; gpu < machine.gpus.size(); ++gpu) {
    gpus.insert(gpus.begin() + random.below(static_cast<std::uint32_t>(gpus.size() + 1)), static_cast<int>(gpu));
  }
  gpus.resize(random.below(static_cast<std::uint32_t>(gpus.size() + 1)));
  options.gpus = std::move(gpus);
  options.cores =
      chance(random, 30) ? 0 : 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(machine.cores)));
  options.machine = std::move(machine);
  options.noise = chance(random, 40);
  options.seed = random.next();
  options.accelerators.ahead.gpu = random.below(6);
  options.accelerators.ahead.core = random.below(3);
  options.accelerators.ahead.issue = random.below(10);
  if (chance(random, 30)) options.accelerators.kernel_overhead = std::chrono::microseconds(random.below(200));
  if (chance(random, 30)) options.copies.overhead = std::chrono::microseconds(random.below(200));
  if (chance(random, 20)) options.accelerators.launch = std::chrono::microseconds(random.below(20));
  if (chance(random, 20)) options.accelerators.notice = std::chrono::microseconds(random.below(60));
  options.copies.write_back_finished = chance(random, 30);
  if (chance(random, 20)) options.knowledge.model = SimulationOptions::Model::learned;
  if (options.knowledge.model == SimulationOptions::Model::exact && chance(random, 20))
    options.knowledge.kernel_error = 3;
  if (chance(random, 20)) options.knowledge.bandwidth_error = 3;
  return options;
}

/// Returns the number of cores that are workers.
int cores_of(const SimulationOptions& options) {
  return options.cores > 0 ? options.cores : options.machine.cores - static_cast<int>(options.gpus.size());
}

/// Groups some of the cores into clusters of random sizes, such as "2x3+1x2".
void form_clusters(Random& random, SimulationOptions& options) {
  if (!chance(random, 40)) return;
  for (int left = cores_of(options); left > 1 && (options.clusters.empty() || chance(random, 50));) {
    const int size = 2 + static_cast<int>(random.below(static_cast<std::uint32_t>(left - 1)));
    const int count = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(left / size)));
    options.clusters += fmt::format("{}{}x{}", options.clusters.empty() ? "" : "+", count, size);
    left -= count * size;
  }
}

/// Calculates the lower bounds for a run, so that the run can be compared with them.
void compare(const apps::FactorizationGraph& graph, const SimulationOptions& options, const RunReport& report,
             BoundedRun& run) {
  const apps::CoreWorkers cores = apps::core_workers_of(report);
  run.clusters = std::ranges::any_of(cores, [](int size) { return size > 1; });
  run.bound_seconds = apps::bound_seconds(graph, options, cores);
  run.bound_bytes = static_cast<double>(apps::bound_bytes(graph, options, cores, run.seconds).count);
}

std::string describe(const SimulationOptions& options, const std::string& policy) {
  return fmt::format("{} cores (clusters {}) and GPUs [{}] of {}, {}{}", cores_of(options),
                     options.clusters.empty() ? "none" : options.clusters, fmt::join(options.gpus, ","),
                     options.machine.name, policy, options.noise ? ", noise" : "");
}

struct Place {
  MachineDescription machine;
  std::vector<Precision> precisions;
};

/// Draws a machine. A machine that comes with Troupe has times for some applications and precisions. A random machine
/// has times for all of them.
Place random_place(Random& random, Application application) {
  struct Known {
    const char* machine;
    Application application;
    std::vector<Precision> precisions;
  };
  const auto single = Precision::single_precision;
  const auto both = Precision::double_precision;
  static const std::vector<Known> known{
      {"idgraf", Application::cholesky, {single}},      {"idgraf", Application::lu, {single, both}},
      {"sirocco", Application::cholesky, {single}},     {"sirocco", Application::lu, {single, both}},
      {"idgraf-double", Application::cholesky, {both}}, {"idgraf-double", Application::lu, {both}},
      {"idgraf-double", Application::qr, {both}},       {"sirocco-double", Application::cholesky, {both}},
      {"h200-nvlink", Application::lu, {single, both}}, {"h200-nvlink", Application::qr, {both}}};
  const Known& chosen = known[random.below(static_cast<std::uint32_t>(known.size()))];
  if (chance(random, 75) || chosen.application != application)
    return {machine_for(random, application), {single, both}};
  return {tests::known_machine(chosen.machine), chosen.precisions};
}

BoundedRun factorization(Random& random, Random& of_clusters) {
  apps::SimulatedRun run;
  run.application = pick(random, std::array{Application::cholesky, Application::lu, Application::qr});
  Place place = random_place(random, run.application);
  run.precision = place.precisions[random.below(static_cast<std::uint32_t>(place.precisions.size()))];
  const bool known = place.machine.name != "random";
  run.tile = known ? 200 + random.below(1800) : 8 + random.below(160);
  run.n = run.tile * (1 + random.below(6));
  if (chance(random, 40)) run.n += 1 + random.below(static_cast<std::uint32_t>(run.tile));
  run.inner = std::min<std::int64_t>(run.tile, 1 + random.below(128));
  run.policy = random_policy(random);
  run.simulation = random_options(random, std::move(place.machine));
  const auto element = run.precision == Precision::single_precision ? 4U : 8U;
  const auto tiles = [&](std::uint32_t count) {
    return Bytes{static_cast<std::uint64_t>(run.tile * run.tile) * element * count};
  };
  // The GPUs of a random machine have little memory, so the run sets a larger memory.
  if (!known) run.simulation.accelerators.gpu_memory = tiles(1000);
  if (chance(random, 40)) run.simulation.accelerators.gpu_memory = tiles(5 + random.below(20));
  // Every run needs a core. A random machine may have kernels that only run on GPUs, so the run also needs a GPU if
  // there is one.
  if (run.simulation.gpus.empty() || cores_of(run.simulation) <= 0) run.simulation.cores = 1;
  if (run.simulation.gpus.empty() && !run.simulation.machine.gpus.empty()) run.simulation.gpus = {0};
  // If LU skips empty tiles, its panels only run on cores. Some kernels of a random machine only run on GPUs, so random
  // machines get no empty tiles.
  if (known && run.application == Application::lu && chance(random, 50)) run.empty_tiles_seed = random.next();
  run.reuse_by_position = chance(random, 20);
  const auto& kernels = run.simulation.machine.kernels;
  if (std::ranges::all_of(kernels, [](const auto& kernel) { return !kernel.on_cpu() || kernel.on_clusters(); })) {
    form_clusters(of_clusters, run.simulation);
  }
  run.recorder = std::make_shared<GraphRecorder>();
  const apps::FactorizationOutcome outcome = apps::simulate(run);
  BoundedRun result;
  result.description = fmt::format("{} in {}, n = {}, tile {}, {}", to_string(run.application),
                                   element == 4U ? "single precision" : "double precision", run.n, run.tile,
                                   describe(run.simulation, run.policy));
  result.tasks = outcome.tasks;
  result.seconds = outcome.seconds;
  result.bytes = static_cast<double>(outcome.report.transfers.total().count);
  compare(run.recorder->take(), run.simulation, outcome.report, result);
  return result;
}

/// The codelets of a random graph. All have the same name, although their tasks take different times.
class Codelets {
 public:
  const Codelet& of(int kernel, bool on_cores, bool on_gpus, std::size_t accesses) {
    const auto [found, is_new] = made_.try_emplace({kernel, on_cores, on_gpus, accesses}, Codelet::variadic("work"));
    if (!is_new) return found->second;
    const auto nothing = [](const KernelContext&) {};
    if (on_cores) found->second.implement(DeviceKind::cpu_core, nothing);
    // Depending on its number, a codelet has a version for teams of any size, for teams of up to four cores, or none.
    if (on_cores && kernel % 3 != 0) {
      found->second.cpu_team(nothing, kernel % 3 == 1 ? std::numeric_limits<int>::max() : 4);
    }
    if (on_gpus) found->second.implement(DeviceKind::cuda, nothing);
    found->second.timed_as("test/" + timed_kernel_name(kernel) + "/long");
    if (kernel % 2 == 0) found->second.flops([](const KernelContext& context) { return flops_of(context); });
    return found->second;
  }

 private:
  static double flops_of(const KernelContext& context) {
    double elements = 1;
    for (std::size_t i = 0; i < context.size(); ++i) {
      elements += static_cast<double>(context.data(i).layout.elements());
    }
    return 10 * elements;
  }

  std::map<std::tuple<int, bool, bool, std::size_t>, Codelet> made_;
};

BoundedRun any_graph(Random& random, Random& of_clusters) {
  SimulationOptions options = random_options(random, random_machine(random, static_cast<int>(random.below(5))));
  if (cores_of(options) <= 0) options.cores = 1;
  form_clusters(of_clusters, options);
  if (chance(random, 40)) options.accelerators.gpu_memory = Bytes{(100 + random.below(400)) * 256};
  RuntimeOptions runtime_options;
  runtime_options.policy = random_policy(random);
  runtime_options.simulation = std::make_shared<SimulationOptions>(options);
  const auto recorder = std::make_shared<GraphRecorder>();
  runtime_options.observation.observer = recorder;
  BoundedRun result;
  RunReport report;
  {
    Runtime runtime(runtime_options);
    std::deque<std::vector<double>> content;
    std::vector<Data> data;
    for (auto count = 1 + random.below(8); count > 0; --count) {
      content.emplace_back(1 + random.below(chance(random, 50) ? 100 : 2000));
      data.push_back(runtime.vector(content.back()));
    }
    Codelets codelets;
    for (auto tasks = 1 + random.below(40); tasks > 0; --tasks) {
      std::vector<Access> accesses;
      for (const Data& handle : data) {
        if (accesses.size() == 4 || !chance(random, 40)) continue;
        accesses.push_back(
            {handle, pick(random, std::array{AccessMode::read, AccessMode::read_write, AccessMode::write})});
      }
      const bool cores_only = options.gpus.empty() || chance(random, 20);
      const bool gpus_only = !cores_only && !options.accelerators.gpu_memory && chance(random, 20);
      const Codelet& codelet =
          codelets.of(static_cast<int>(random.below(kTimedKernels)), !gpus_only, !cores_only, accesses.size());
      runtime.submit(codelet, accesses);
    }
    runtime.wait();
    report = runtime.report();
    result.tasks = report.ended;
    result.seconds = seconds(*report.virtual_time);
    result.bytes = static_cast<double>(report.transfers.total().count);
  }
  result.description = fmt::format("{} random tasks, {}", result.tasks, describe(options, runtime_options.policy));
  compare(recorder->take(), options, report, result);
  return result;
}

}  // namespace

std::vector<std::string> BoundedRun::problems() const {
  std::vector<std::string> problems;
  if (!(seconds >= bound_seconds)) {
    problems.push_back(fmt::format("took {:.12g} s, less than its bound, {:.12g} s", seconds, bound_seconds));
  }
  if (!(bytes >= bound_bytes)) {
    problems.push_back(fmt::format("moved {:.0f} bytes, less than its bound, {:.0f}", bytes, bound_bytes));
  }
  return problems;
}

BoundedRun bounded_run(std::uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15ULL + 3);
  // Clusters come from a second generator, so that a seed still gives the same values for everything else.
  Random of_clusters(seed * 0x9e3779b97f4a7c15ULL + 5);
  return chance(random, 60) ? factorization(random, of_clusters) : any_graph(random, of_clusters);
}

}  // namespace troupe::tests
