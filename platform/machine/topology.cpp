#include "platform/machine/topology.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "platform/machine/cluster_plan.hpp"
#include "platform/machine/nearness.hpp"

namespace troupe::platform {
namespace {

/// The intermediate results from which the number of usable cores follows. Messages explain the number with them.
struct Candidates {
  /// `granted`: the processing units (PUs) within cpuset and affinity mask. `restricted`: those of them that the user's
  /// restriction also allows. `cores`: the cores of the restricted PUs, one PU per core unless hyperthreads are used.
  CpuSet granted;
  CpuSet restricted;
  std::vector<Core> cores;
  /// The size of `cores`, or less if a quota grants less.
  int allowed = 0;
};

std::string in_cpus(double cpus) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", cpus);
  return text + std::string(cpus == 1 ? " CPU" : " CPUs");
}

std::string in_gib(Bytes bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes.count) / (1 << 30));
  return text;
}

std::string count_of(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string granted_in_words(const Candidates& candidates, const Machine& machine) {
  return "cpuset and affinity mask of this process: " + count_of(candidates.granted.size(), "PU") + " (" +
         to_string(candidates.granted) + ") of " + std::to_string(machine.pus.size());
}

std::string restricted_in_words(const Candidates& candidates, const TopologyOptions& options) {
  return "restriction asked for (" + options.restrict_to + "): " + count_of(candidates.restricted.size(), "PU") + " (" +
         to_string(candidates.restricted) + ")";
}

std::string quota_in_words(const CpuQuota& quota) {
  return "processor time limit of cgroup " + quota.cgroup + ": " + in_cpus(quota.cpus());
}

std::vector<Core> allowed_cores(const Machine& machine, const CpuSet& set, bool use_hyperthreads) {
  std::vector<Core> pus;
  std::copy_if(machine.pus.begin(), machine.pus.end(), std::back_inserter(pus),
               [&](const Core& pu) { return contains(set, pu.pu); });
  return use_hyperthreads ? pus : one_pu_per_core(pus);
}

Result<Candidates> find_candidates(const Machine& machine, const TopologyOptions& options,
                                   const std::optional<CpuQuota>& quota) {
  Candidates candidates;
  candidates.granted = machine.allowed;
  candidates.restricted = machine.allowed;
  if (!options.restrict_to.empty()) {
    auto wanted = parse_cpu_set(options.restrict_to);
    if (!wanted) return wanted.failure();
    candidates.restricted = intersection(machine.allowed, wanted.value());
  }
  candidates.cores = allowed_cores(machine, candidates.restricted, options.use_hyperthreads);
  if (candidates.cores.empty()) {
    return Failure{ErrorCode::platform, "no core is left to run on: this process may use PUs " +
                                            to_string(candidates.granted) + ", and it was asked to use only " +
                                            (options.restrict_to.empty() ? "these" : options.restrict_to)};
  }
  candidates.allowed = static_cast<int>(candidates.cores.size());
  if (quota) candidates.allowed = std::min(candidates.allowed, quota->threads());
  return candidates;
}

struct BindingLimit {
  std::string words;
  /// Advice to the user other than to request fewer cores; empty if there is none.
  std::string remedy;
};

/// Returns the first environment variable that makes OpenMP bind the program's main thread; null if none is set. Such a
/// binding makes the program seem to have fewer cores.
const char* openmp_binding() {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && std::string_view(value) != "false") return name;
  }
  return nullptr;
}

/// Returns the limit that determines the number of cores.
BindingLimit binding_limit(const Candidates& candidates, const Machine& machine, const TopologyOptions& options,
                           const std::optional<CpuQuota>& quota) {
  if (candidates.allowed < static_cast<int>(candidates.cores.size()) && quota) {
    return {quota_in_words(*quota), ", or raise that limit (cpu.max, docker run --cpus)"};
  }
  if (candidates.restricted.size() < candidates.granted.size()) {
    return {restricted_in_words(candidates, options), ", or widen the restriction"};
  }
  if (candidates.granted.size() < machine.pus.size()) {
    const char* const openmp = openmp_binding();
    return {granted_in_words(candidates, machine),
            (openmp != nullptr ? std::string(", or unset ") + openmp + ", by which OpenMP may have bound this program"
                               : std::string()) +
                ", or widen them (taskset, docker run --cpuset-cpus, sbatch --cpus-per-task)"};
  }
  return {"the machine has " + count_of(static_cast<std::size_t>(machine.cores), "core"), ""};
}

Failure too_many_cores(const Candidates& candidates, const Machine& machine, const TopologyOptions& options,
                       const std::optional<CpuQuota>& quota) {
  const auto limit = binding_limit(candidates, machine, options, quota);
  const std::string allowed = std::to_string(candidates.allowed);
  std::string message = "asked for " + count_of(static_cast<std::size_t>(options.cores), "core") + " but only " +
                        allowed + (candidates.allowed == 1 ? " is" : " are") + " allowed (" + limit.words +
                        "): ask for at most " + allowed + limit.remedy;
  const bool has_hyperthreads = candidates.restricted.size() > candidates.cores.size();
  if (has_hyperthreads && candidates.allowed == static_cast<int>(candidates.cores.size())) {
    message += ", or use hyperthreads, of which there are " + std::to_string(candidates.restricted.size());
  }
  return Failure{ErrorCode::platform, message};
}

/// Chooses `count` cores. If more cores are requested than are allowed, the choice begins again with the first core, so
/// cores occur several times.
std::vector<Core> choose(const Candidates& candidates, int count) {
  auto chosen = compact_choice(candidates.cores, std::min(count, candidates.allowed));
  const std::size_t different = chosen.size();
  while (chosen.size() < static_cast<std::size_t>(count)) chosen.push_back(chosen[chosen.size() % different]);
  return chosen;
}

std::string reason_not_to_bind(const Candidates& candidates, const Machine& machine, int count) {
  if (!machine.this_system) return "the machine is only described";
  if (count > candidates.allowed) return "there are more workers than cores";
  if (candidates.allowed < static_cast<int>(candidates.cores.size())) {
    return "a limit of processor time does not say which cores to use";
  }
  return {};
}

std::vector<std::string> limits_in_words(const Topology& topology, const Candidates& candidates,
                                         const TopologyOptions& options) {
  std::vector<std::string> words;
  if (candidates.granted.size() < topology.machine.pus.size()) {
    words.push_back(granted_in_words(candidates, topology.machine));
  }
  if (!options.restrict_to.empty()) words.push_back(restricted_in_words(candidates, options));
  if (topology.cpu_quota) words.push_back(quota_in_words(*topology.cpu_quota));
  for (const MemoryLimit& limit : memory_limits(options.system_root.empty() ? "/" : options.system_root)) {
    words.push_back("memory limit of cgroup " + limit.cgroup + ": " + in_gib(limit.limit));
  }
  return words;
}

}  // namespace

Result<Topology> Topology::discover(const TopologyOptions& options) {
  if (options.cores < 0) {
    return Failure{ErrorCode::invalid_argument,
                   "asked for " + std::to_string(options.cores) + " cores: ask for at least one, or for 0 to take all"};
  }
  auto machine = inspect_machine(options.synthetic);
  if (!machine) return machine.failure();
  Topology topology;
  topology.machine = std::move(machine).value();
  const std::string root = options.system_root.empty() ? "/" : options.system_root;
  if (topology.machine.this_system || !options.system_root.empty()) topology.cpu_quota = tightest_cpu_quota(root);

  const auto found = find_candidates(topology.machine, options, topology.cpu_quota);
  if (!found) return found.failure();
  const Candidates& candidates = found.value();
  const int count = options.cores == 0 ? candidates.allowed : options.cores;
  if (count > candidates.allowed && !options.oversubscribe) {
    return too_many_cores(candidates, topology.machine, options, topology.cpu_quota);
  }
  topology.cores = choose(candidates, count);
  topology.allowed_cores = candidates.allowed;
  topology.allowed_pus = candidates.restricted;
  topology.unbindable_because = reason_not_to_bind(candidates, topology.machine, count);
  topology.bindable = topology.unbindable_because.empty();
  topology.limits = limits_in_words(topology, candidates, options);
  topology.memory = read_host_memory(root);
  return topology;
}

Result<void> Topology::form_clusters(const std::string& specification) {
  if (specification.empty()) return {};
  auto plan = plan_clusters(specification, cores, machine);
  if (!plan) return plan.failure();
  cores = std::move(plan.value().cores);
  warnings = std::move(plan.value().warnings);
  return {};
}

std::vector<std::vector<int>> Topology::victim_order(int core) const { return rings_around(cores, core); }

std::vector<std::vector<int>> Topology::cores_by_numa_node() const {
  std::map<int, std::vector<int>> nodes;
  for (std::size_t i = 0; i < cores.size(); ++i) nodes[cores[i].numa_node].push_back(static_cast<int>(i));
  std::vector<std::vector<int>> result;
  for (auto& [node, members] : nodes) result.push_back(std::move(members));
  return result;
}

}  // namespace troupe::platform
