#include "apps/simulate/simulation_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "actors/scheduler/policy.hpp"
#include "actors/simulating/simulated_cores.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/simulate/derived_kernels.hpp"
#include "apps/simulate/gpu_choice.hpp"
#include "apps/simulate/modelled_codelets.hpp"
#include "apps/simulate/modelled_super_blocks.hpp"
#include "platform/machine/cluster_stages.hpp"
#include "traces/text/human.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

namespace {

using platform::KernelTimes;
using platform::MachineDescription;

/// The size of the largest graph that is simulated, in tasks. Such a graph takes some 10 GB.
constexpr double kMostTasks = 5e6;

Result<std::vector<ModelledKernel>> kernels_in(Precision precision, linalg::Application application,
                                               const MachineDescription& machine, linalg::Pivoting pivoting) {
  return precision == Precision::single_precision ? modelled_kernels<float>(application, machine, pivoting)
                                                  : modelled_kernels<double>(application, machine, pivoting);
}

Precision precision_of(const SimulationArguments& arguments, const MachineDescription& machine) {
  if (arguments.precision == "float") return Precision::single_precision;
  if (arguments.precision == "double") return Precision::double_precision;
  const bool in_double =
      kernels_in(Precision::double_precision, arguments.application, machine, arguments.pivoting).ok();
  const bool in_single =
      kernels_in(Precision::single_precision, arguments.application, machine, arguments.pivoting).ok();
  if (in_single != in_double) return in_single ? Precision::single_precision : Precision::double_precision;
  // If kernels are missing in both precisions, choose the precision with more kernels.
  const auto kernels = [&](const char* precision) {
    return std::count_if(machine.kernels.begin(), machine.kernels.end(), [&](const KernelTimes& times) {
      return times.application() == to_string(arguments.application) && times.precision() == precision;
    });
  };
  return kernels("single") > kernels("double") ? Precision::single_precision : Precision::double_precision;
}

std::int64_t largest_tile(const std::vector<ModelledKernel>& kernels) {
  double edge = 1;
  for (const ModelledKernel& kernel : kernels) edge = std::max(edge, kernel.times->edges().back());
  return std::llround(edge);
}

Duration microseconds(double us) { return Duration(std::llround(us * 1e3)); }

SimulationOptions options_of(const SimulationArguments& arguments, MachineDescription machine) {
  SimulationOptions options = arguments.simulation;
  options.machine = std::move(machine);
  const bool starpu = arguments.assume == "starpu";
  options.accelerators.memory_fraction = arguments.memory_fraction.value_or(starpu ? 0.9 : 1);
  options.accelerators.kernel_overhead = microseconds(arguments.kernel_overhead_us.value_or(starpu ? 10 : 0));
  if (arguments.launch_us) options.accelerators.launch = microseconds(*arguments.launch_us);
  if (arguments.notice_us) options.accelerators.notice = microseconds(*arguments.notice_us);
  options.copies.overhead = microseconds(arguments.copy_overhead_us.value_or(starpu ? 10 : 0));
  options.copies.write_back_finished = options.copies.write_back_finished || starpu;
  options.copies.streams = arguments.copy_streams.value_or(starpu);
  options.knowledge.priorities = arguments.priorities.value_or(!starpu);
  if (arguments.repeat > 1 && arguments.noise == false) {
    throw Error(ErrorCode::invalid_argument,
                "--repeat: without noise all runs are equal: leave --repeat away, or --no-noise");
  }
  if (options.knowledge.model == SimulationOptions::Model::learned && options.knowledge.kernel_error != 1) {
    throw Error(ErrorCode::invalid_argument,
                "--kernel-error: what is learned is not wrong: leave it away, or --model learned");
  }
  options.noise = arguments.noise.value_or(arguments.repeat > 1);
  return options;
}

/// Returns, for each requested number of GPUs, the GPUs to use, in the order of the request.
std::vector<std::vector<int>> gpu_sets(const SimulationArguments& arguments, const MachineDescription& machine) {
  const std::string counts = arguments.gpus.empty() ? std::to_string(machine.gpus.size()) : arguments.gpus;
  const std::vector<int> order = gpu_order(arguments.gpu_order, machine).value_or_throw();
  std::vector<std::vector<int>> sets;
  for (const int count : parse_gpu_counts(counts, machine).value_or_throw()) {
    if (static_cast<std::size_t>(count) > order.size()) {
      throw Error(ErrorCode::invalid_argument, fmt::format("--gpu-order: {} names {}, but --gpus asks for {}",
                                                           arguments.gpu_order, counted(order.size(), "GPU"), count));
    }
    sets.emplace_back(order.begin(), order.begin() + count);
  }
  return sets;
}

Bytes largest_task(const SimulatedRun& run, std::int64_t n) {
  if (run.sparse) {
    const SparseProblem& problem = *run.sparse->problem;
    const std::int64_t of_block =
        problem.cut.block * problem.cut.block *
        (run.precision == Precision::single_precision ? std::int64_t{sizeof(float)} : std::int64_t{sizeof(double)});
    return {static_cast<std::uint64_t>(3 * problem.largest_super_block() * of_block)};
  }
  const linalg::FactorizationOptions options{
      .application = run.application, .tile = run.tile, .inner = run.inner, .pivoting = run.pivoting};
  return linalg::largest_task_data(options, n,
                                   run.precision == Precision::single_precision ? sizeof(float) : sizeof(double));
}

/// Returns the size of a GPU's memory for data, in bytes.
double memory_for_data(const SimulationOptions& options, int gpu) {
  const Bytes memory =
      options.accelerators.gpu_memory.value_or(options.machine.gpus[static_cast<std::size_t>(gpu)].memory);
  return static_cast<double>(memory.count) * options.accelerators.memory_fraction;
}

}  // namespace

double task_count(linalg::Application application, std::int64_t tiles) {
  const auto t = static_cast<double>(tiles);
  return application == linalg::Application::cholesky ? t * (t + 1) * (t + 2) / 6 : t * (t + 1) * (2 * t + 1) / 6;
}

SimulationRequest SimulationRequest::make(const SimulationArguments& arguments) {
  SimulationRequest request;
  MachineDescription machine = usable(platform::load_machine(arguments.platform));
  SimulatedRun& common = request.common_;
  common.application = arguments.application;
  common.pivoting = arguments.pivoting;
  if (arguments.assume == "starpu") common.lu_order = linalg::LuOrder::panels_first;
  if (common.pivoting == linalg::Pivoting::incremental) request.derived_ = derive_incremental_lu(machine);
  common.precision = precision_of(arguments, machine);
  const auto kernels = kernels_in(common.precision, common.application, machine, common.pivoting).value_or_throw();
  common.tile = arguments.tile > 0 ? arguments.tile : largest_tile(kernels);
  const std::vector<std::int64_t> orders =
      arguments.sparse ? request.prepare_sparse(arguments, machine) : arguments.sizes;
  common.inner = std::min(arguments.inner, common.tile);
  const auto sets = gpu_sets(arguments, machine);
  common.simulation = options_of(arguments, std::move(machine));
  request.repeat_ = arguments.repeat;
  common.restrict = arguments.restrict;
  common.eviction = arguments.eviction;
  for (const std::int64_t n : orders) {
    if (!arguments.sparse) request.check_task_count(n);
    for (const std::vector<int>& gpus : sets) {
      for (std::string policy : arguments.policies) {
        if (policy == "default") policy = scheduler::default_policy(!gpus.empty());
        request.places_.push_back({n, gpus, std::move(policy)});
      }
    }
  }
  request.check_clusters();
  request.check_memory();
  request.remove_repeated_warnings();
  return request;
}

std::vector<std::int64_t> SimulationRequest::prepare_sparse(const SimulationArguments& arguments,
                                                            platform::MachineDescription& machine) {
  const SparseLuArguments& how = *arguments.sparse;
  if (!arguments.simulation.clusters.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "--clusters: times of super-blocks on clusters are not known: simulate sparse-lu on single cores");
  }
  std::vector<std::int64_t> blocks = arguments.sizes;
  if (is_structure_file(how.structure)) blocks = {0};
  std::vector<std::int64_t> orders;
  for (const std::int64_t n : blocks) {
    auto problem = std::make_shared<const SparseProblem>(problem_of(how, n, arguments.simulation.seed));
    linalg::require_diagonal(problem->pattern);
    orders.push_back(problem->order());
    sparse_[orders.back()] = simulated_sparse_lu(std::move(problem), how);
  }
  common_.sparse = sparse_.at(orders.front());
  const linalg::BlockCut& cut = common_.sparse->problem->cut;
  common_.tile = cut.block;
  const bool is_single = common_.precision == Precision::single_precision;
  const char* const precision = is_single ? "single" : "double";
  if (cut.side > 1) derived_ = derive_super_blocks(machine, precision, cut.block, cut.side);
  const auto tasks = super_tasks(how.grain);
  if (is_single) {
    static_cast<void>(modelled_block_lu<float>(machine, tasks, cut.side).value_or_throw());
  } else {
    static_cast<void>(modelled_block_lu<double>(machine, tasks, cut.side).value_or_throw());
  }
  return orders;
}

/// Keeps each warning once, because warnings are the same for every policy, and mostly for every size.
void SimulationRequest::remove_repeated_warnings() {
  std::sort(warnings_.begin(), warnings_.end());
  warnings_.erase(std::unique(warnings_.begin(), warnings_.end()), warnings_.end());
}

void SimulationRequest::check_task_count(std::int64_t n) const {
  const std::int64_t tiles = (n - 1) / common_.tile + 1;
  const double tasks = task_count(common_.application, tiles);
  if (tasks <= kMostTasks) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("n = {} in tiles of {} makes {:.3g} tasks, more than {:.0f}: use larger tiles", n,
                          common_.tile, tasks, kMostTasks));
}

bool SimulationRequest::finds_clusters() const { return common_.simulation.clusters == kAutomaticClusters; }

void SimulationRequest::choose_clusters(const ClusterSearchOptions& options) {
  if (!finds_clusters()) return;
  for (SimulationPlace& place : places_) {
    ClusterSearchOptions of_place = options;
    of_place.changing_policy = changing_policy(place.policy).value_or("");
    choices_.push_back(choose_described_clusters(run(place, common_.simulation.seed), of_place));
    const ClusterChoice& choice = choices_.back();
    place.clusters = choice.best().in_virtual_time();
    if (!choice.remark.empty()) warnings_.push_back(fmt::format("--clusters auto: single cores, as {}", choice.remark));
  }
  remove_repeated_warnings();
}

/// Checks the clusters for each configuration, because the number of cores that remain for clusters depends on the
/// number of GPUs. All kernels must have times on clusters, even unused kernels: if one kernel had no such times,
/// policies would silently ignore clusters.
void SimulationRequest::check_clusters() {
  SimulationOptions options = common_.simulation;
  if (options.clusters.empty() || finds_clusters()) return;
  const auto stages = platform::parse_cluster_stages(options.clusters).value_or_throw();
  for (const SimulationPlace& place : places_) {
    options.gpus = place.gpus;
    actors::check(options).value_or_throw();
    for (const platform::ClusterStage& stage : stages) {
      options.clusters = stage.clusters;
      const platform::Topology topology = actors::simulated_topology(options).value_or_throw();
      warnings_.insert(warnings_.end(), topology.warnings.begin(), topology.warnings.end());
      const auto cluster =
          std::ranges::find_if(topology.cores, [](const platform::Core& core) { return core.size() > 1; });
      if (cluster == topology.cores.end()) continue;
      if (const auto known = check_cluster_times(common_, cluster->size()); !known) {
        throw Error(known.failure().code, known.failure().message + ", or run it on single cores");
      }
    }
  }
}

/// Checks the memory before the first simulation. Tasks that fit into no GPU run on cores if they can; if no device can
/// run them, this function throws.
void SimulationRequest::check_memory() {
  const SimulationOptions& options = common_.simulation;
  const auto kernels =
      kernels_in(common_.precision, common_.application, options.machine, common_.pivoting).value_or_throw();
  const bool cores_can = std::all_of(kernels.begin(), kernels.end(), [](const auto& k) { return k.times->on_cpu(); });
  for (const SimulationPlace& place : places_) {
    const Bytes need = largest_task(run(place, 1), place.n);
    std::vector<int> small;
    for (const int gpu : place.gpus) {
      if (memory_for_data(options, gpu) < static_cast<double>(need.count)) small.push_back(gpu);
    }
    if (small.empty()) continue;
    const std::string what = fmt::format(
        "the data of one task, up to {} in tiles of {}, do not fit into the memory for data of GPU {}, which is {}",
        traces::human_bytes(need), std::min(common_.tile, place.n), fmt::join(small, ", "),
        traces::human_bytes({static_cast<std::uint64_t>(memory_for_data(options, small.front()))}));
    const bool cores = cores_can && (options.cores > 0 || static_cast<int>(place.gpus.size()) < options.machine.cores);
    if (!cores && small.size() == place.gpus.size()) {
      throw Error(ErrorCode::bad_input,
                  what + ", and no core can run it: use smaller tiles, more GPU memory or a core (--cores)");
    }
    warnings_.push_back(what + ": such tasks run elsewhere");
  }
}

SimulatedRun SimulationRequest::run(const SimulationPlace& place, std::uint64_t seed) const {
  SimulatedRun run = common_;
  run.n = place.n;
  if (run.sparse) run.sparse = sparse_.at(place.n);
  run.policy = place.policy;
  run.simulation.gpus = place.gpus;
  if (!place.clusters.empty()) run.simulation.clusters = place.clusters;
  run.simulation.seed = seed;
  return run;
}

SimulationList SimulationRequest::runs() const {
  const auto repeat = static_cast<std::size_t>(repeat_);
  return {places_.size() * repeat,
          [this, repeat](std::size_t i) { return run(places_[i / repeat], common_.simulation.seed + i % repeat); }};
}

}  // namespace troupe::apps
