#include "actors/options/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "actors/options/option_rows.hpp"
#include "actors/scheduler/policy.hpp"
#include "graph/codelets/restrictions.hpp"
#include "platform/accelerators/emulation_arguments.hpp"
#include "platform/machine/cluster_candidates.hpp"
#include "platform/machine/cluster_stages.hpp"
#include "platform/machine/cpu_set.hpp"
#include "platform/opencl/opencl_choice.hpp"
#include "proto/tokens.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe {

namespace option_rows {

namespace {

using Options = RuntimeOptions;

constexpr std::uint64_t kMostCores = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostGpus = 1024;
constexpr std::uint64_t kMostAhead = 1024;

template <class T>
Result<void> outcome_of(const Result<T>& result) {
  if (!result) return result.failure();
  return {};
}

Result<void> any_text(const std::string& /*text*/) { return {}; }

Result<void> check_policy(const std::string& text) { return outcome_of(scheduler::make_policy(text, {})); }

Result<void> check_restrictions(const std::string& text) { return outcome_of(parse_restrictions(text)); }

Result<void> check_cpus(const std::string& text) { return outcome_of(platform::parse_cpu_set(text)); }

Result<void> check_clusters(const std::string& text) {
  if (text == platform::kAutomaticClusters) return {};
  return outcome_of(platform::parse_cluster_stages(text));
}

Result<void> check_models(const std::string& text) {
  if (text != "default" || !model_folder_of(text).empty()) return {};
  return Failure{ErrorCode::invalid_argument,
                 "'default' is no folder here, since neither XDG_CACHE_HOME nor HOME is set: name a folder, or none"};
}

/// Checks a text that chooses OpenCL devices by a word or by numbers. Whether devices have these numbers is checked
/// only when a runtime starts. If the text has another form, the failure lists the devices.
Result<void> check_opencl(const std::string& text) {
  if (text == "all" || text == "gpu" || text == "cpu") return {};
  for (std::string_view rest = text; true;) {
    const std::size_t comma = rest.find(',');
    if (parse_whole(rest.substr(0, comma)).status != NumberStatus::ok) break;
    if (comma == std::string_view::npos) return {};
    rest = rest.substr(comma + 1);
  }
  return outcome_of(platform::choose_opencl_devices(text, platform::list_opencl_devices()));
}

Result<void> read_emulated_gpus(const RuntimeOption& /*self*/, Options& options, const std::string& text) {
  if (text.empty() || text == "0") {
    options.accelerators.emulated_gpus.clear();
    return {};
  }
  return store(platform::parse_emulated_gpus(text), options.accelerators.emulated_gpus);
}

constexpr RuntimeOption emulated_gpus(const Names& names, std::string_view examples) {
  auto option = row<RuntimeOption>(OptionKind::devices, names);
  option.examples = examples;
  option.read = read_emulated_gpus;
  option.text = [](const Options& options) { return platform::emulated_gpus_text(options.accelerators.emulated_gpus); };
  return option;
}

constexpr auto kMachine = OptionGroup::machine;
constexpr auto kTasks = OptionGroup::tasks;
constexpr auto kAccelerators = OptionGroup::accelerators;
constexpr auto kObservation = OptionGroup::observation;

/// The doors of options that only programs can set: just the interface for C. C++ and Python can set all options.
constexpr unsigned kPrograms = static_cast<unsigned>(OptionDoor::c);
/// The commands' kernels have no implementation for OpenCL, so `troupe run` has no option for OpenCL devices.
constexpr unsigned kNoCommand = without(OptionDoor::command);
/// The configuration of a service lacks these options, because its clients have windows and profiles of their own and
/// are observed through the service.
constexpr unsigned kNoService = without(OptionDoor::service);

constexpr std::array kOptions{
    whole<&Options::cores>({"cores", "cores", kMachine, "cores that run tasks; 0: all that this process may use"}, 0,
                           kMostCores),
    text<check_cpus, &Options::threads, &ThreadOptions::cpus>(
        {"threads.cpus", "cpus", kMachine, "the only processing units to use; without it: all that are allowed"},
        "0-3,8"),
    flag<&Options::threads, &ThreadOptions::bind>(
        {"threads.bind", "bind", kMachine, "each worker's thread is bound to its core"}),
    flag<&Options::threads, &ThreadOptions::hyperthreads>(
        {"threads.hyperthreads", "hyperthreads", kMachine, "every hyperthread counts as a core"}),
    flag<&Options::threads, &ThreadOptions::oversubscribe>(
        {"threads.oversubscribe", "oversubscribe", kMachine, "more workers than cores are allowed, unbound: for tests",
         without(OptionDoor::command, without(OptionDoor::environment))}),
    on_page(text<check_clusters, &Options::clusters>(
                {"clusters", "clusters", kMachine,
                 "cores that work together, each cluster as one worker; without it: every core is a worker"},
                "2x10 1x16+4x1 socket numa l3 auto 2x10,1500:single"),
            "clusters.md"),
    flag<&Options::threads, &ThreadOptions::regroup>({"threads.regroup", "regroup", kMachine,
                                                      "the program may change its clusters while tasks run",
                                                      without(OptionDoor::command, kNoService)}),
    time<&Options::threads, &ThreadOptions::spin>(
        {"threads.spin", "spin", kMachine, "how long an idle worker looks for work before it sleeps"}, "20us 1ms"),
    on_page(text<check_policy, &Options::policy>(
                {"policy", "policy", kTasks, "where tasks run: a policy, with its options behind a colon"},
                "heft dada:alpha=0.5"),
            "policies.md"),
    text<check_restrictions, &Options::placement, &PlacementOptions::restrict>(
        {"placement.restrict", "restrict", kTasks, "codelets whose tasks only some devices may run"},
        "potrf,trsm:cores gemm:h200 trsm:#0|gpus"),
    usually(on_page(text<check_models, &Options::placement, &PlacementOptions::models>(
                        {"placement.models", "models", kTasks,
                         "the folder where placing policies keep the kernel times that they learn; default: the one in "
                         "the user's cache; none: they keep nothing"},
                        "/var/lib/troupe default none", OptionKind::path),
                    "models.md"),
            "default"),
    whole<&Options::window>(
        {"window", "window", kTasks, "tasks that may be in flight before a submission waits", kNoService}, 1,
        kAnyNumber),
    time<&Options::placement, &PlacementOptions::cutoff>(
        {"placement.cutoff", "cutoff", kTasks,
         "nested tasks that take no longer, with all that they consist of, call what they submit in "
         "place of tasks; 0s: none do",
         without(OptionDoor::command, kNoService)},
        "0s 50us 1ms"),
    whole<&Options::seed>({"seed", "seed", kTasks, "the seed of all that is drawn"}, 0, kAnyNumber),
    flag<&Options::threads, &ThreadOptions::deterministic>(
        {"threads.deterministic", "deterministic", kTasks,
         "everything runs in the thread that waits, in an order drawn from the seed: for tests", kPrograms}),
    choosing_devices(whole<&Options::gpus>(
        {"gpus", "gpus", kAccelerators, "CUDA GPUs to use, the first of those that this process may use"}, 0,
        kMostGpus)),
    bytes<&Options::accelerators, &AcceleratorOptions::gpu_memory>(
        {"accelerators.gpu_memory", "gpu_memory", kAccelerators,
         "the most memory that data may take on each CUDA GPU; without it: nine tenths of what is free"},
        "8GiB"),
    choosing_devices(on_page(emulated_gpus({"accelerators.emulated_gpus", "emulated_gpus", kAccelerators,
                                            "accelerators that are emulated on cores"},
                                           "2 2:memory=256MiB,bandwidth=8GB/s"),
                             "accelerators.md")),
    choosing_devices(on_page(
        text<check_opencl, &Options::accelerators, &AcceleratorOptions::opencl>(
            {"accelerators.opencl", "opencl", kAccelerators, "OpenCL devices, as `troupe info` lists them", kNoCommand},
            "all gpu cpu 0,2"),
        "opencl.md")),
    bytes<&Options::accelerators, &AcceleratorOptions::opencl_memory>(
        {"accelerators.opencl_memory", "opencl_memory", kAccelerators,
         "the most memory that data may take on each OpenCL device; without it: nine tenths of what it has",
         kNoCommand},
        "512MiB"),
    flag<&Options::accelerators, &AcceleratorOptions::opencl_copies>(
        {"accelerators.opencl_copies", "opencl_copies", kAccelerators,
         "OpenCL devices that share the host's memory work on copies, too", kNoCommand}),
    whole<&Options::accelerators, &AcceleratorOptions::opencl_alignment>(
        {"accelerators.opencl_alignment", "opencl_alignment", kAccelerators,
         "OpenCL devices work in place on data that begin at a multiple of so many bytes; 0: what the device needs for "
         "any type",
         kNoCommand},
        0, kAnyNumber),
    whole<&Options::accelerators, &AcceleratorOptions::ahead, &LookaheadOptions::gpu>(
        {"accelerators.ahead.gpu", "lookahead", kAccelerators,
         "tasks whose data an accelerator fetches while its kernels run"},
        0, kMostAhead),
    whole<&Options::accelerators, &AcceleratorOptions::ahead, &LookaheadOptions::core>(
        {"accelerators.ahead.core", "core_lookahead", kAccelerators,
         "tasks whose data a core fetches ahead, where there are accelerators"},
        0, kMostAhead),
    whole<&Options::accelerators, &AcceleratorOptions::ahead, &LookaheadOptions::issue>(
        {"accelerators.ahead.issue", "issue_ahead", kAccelerators,
         "tasks that an accelerator is given while it is busy, as far as they are short"},
        0, kMostAhead),
    on_page(word<&Options::accelerators, &AcceleratorOptions::eviction>(
                {"accelerators.eviction", "eviction", kAccelerators, "what leaves a full memory first"},
                "lru reuse next-use"),
            "eviction.md"),
    text<any_text, &Options::accelerators, &AcceleratorOptions::reuse_profile>(
        {"accelerators.reuse_profile", "reuse_profile", kAccelerators,
         "the file with how often data are used, for the eviction `reuse`; a run without one leaves it behind",
         kNoService},
        "uses.txt", OptionKind::path),
    flag<&Options::trace>({"trace", "trace", kObservation, "what runs when is recorded", kPrograms}),
    watching(whole<&Options::observation, &ObservationOptions::trace_limit>(
        {"observation.trace_limit", "trace_limit", kObservation,
         "entries that a trace may have: one for each task and each dependency", kNoService},
        1, kAnyNumber)),
    time<&Options::observation, &ObservationOptions::why_after>(
        {"observation.why_after", "why_after", kObservation,
         "when no task has started or ended for so long, the reason is told; 0s: never", kNoService},
        "5s 500ms 2m"),
};

using Simulated = SimulationOptions;

/// These options have no doors of their own: a command adds those that it has by their words.
constexpr std::array kSimulationOptions{
    whole<&Simulated::cores>({"cores", "cores", kMachine, "cores that run tasks; 0: all but those that drive GPUs"}, 0,
                             kMostCores),
    text<check_clusters, &Simulated::clusters>(
        {"clusters", "clusters", kMachine,
         "cores that work together, each cluster as one worker; without it: every core is a worker"},
        "2x10 1x16+4x1 socket auto 2x10,1500:single"),
    flag<&Simulated::noise>(
        {"noise", "noise", kTasks, "times vary by the deviations of the codelets and of the description"}),
    whole<&Simulated::seed>({"seed", "seed", kTasks, "the seed of all that is drawn"}, 0, kAnyNumber),
    number<&Simulated::accelerators, &SimulatedAccelerators::memory_fraction>(
        {"accelerators.memory_fraction", "memory_fraction", kAccelerators,
         "how much of each GPU's memory data may use"},
        1e-6, 1),
    bytes<&Simulated::accelerators, &SimulatedAccelerators::gpu_memory>(
        {"accelerators.gpu_memory", "gpu_memory", kAccelerators,
         "each GPU's memory; without it: what the description says"},
        "512MiB 8GB"),
    whole<&Simulated::accelerators, &SimulatedAccelerators::ahead, &LookaheadOptions::gpu>(
        {"accelerators.ahead.gpu", "lookahead", kAccelerators, "tasks whose data a GPU fetches while its kernels run"},
        0, kMostAhead),
    whole<&Simulated::accelerators, &SimulatedAccelerators::ahead, &LookaheadOptions::core>(
        {"accelerators.ahead.core", "core_lookahead", kAccelerators,
         "tasks whose data a core fetches ahead, where there are GPUs"},
        0, kMostAhead),
    whole<&Simulated::accelerators, &SimulatedAccelerators::ahead, &LookaheadOptions::issue>(
        {"accelerators.ahead.issue", "issue_ahead", kAccelerators,
         "tasks that a GPU is given while it is busy, as far as they are short"},
        0, kMostAhead),
    flag<&Simulated::copies, &SimulatedCopies::peer>(
        {"copies.peer", "peer_copies", kAccelerators, "GPUs copy directly from one another"}),
    word<&Simulated::knowledge, &SimulatedKnowledge::model>(
        {"knowledge.model", "model", kTasks,
         "what policies know of times: the means, or what they learn during the run"},
        "exact learned"),
    number<&Simulated::knowledge, &SimulatedKnowledge::kernel_error>(
        {"knowledge.kernel_error", "kernel_error", kTasks,
         "the kernel times that policies know are off by factors up to this"},
        1, 1e6),
    number<&Simulated::knowledge, &SimulatedKnowledge::bandwidth_error>(
        {"knowledge.bandwidth_error", "bandwidth_error", kTasks,
         "the bandwidths that policies know are off by factors up to this"},
        1, 1e6),
};

}  // namespace

}  // namespace option_rows

namespace {

std::string dashed(std::string_view word) {
  std::string text(word);
  std::ranges::replace(text, '_', '-');
  return text;
}

template <class Options>
const OptionOf<Options>* option_in(std::span<const OptionOf<Options>> options, std::string_view word) {
  std::string name(word);
  std::ranges::replace(name, '-', '_');
  const auto found = std::ranges::find(options, name, &OptionOf<Options>::word);
  return found == options.end() ? nullptr : &*found;
}

bool replaced(const RuntimeOption& option, const RuntimeOptions& options) {
  return option.word == "policy" && options.placement.make_policy;
}
bool replaced(const SimulationOption& /*option*/, const SimulationOptions& /*options*/) { return false; }

template <class Options>
Result<void> check_each(std::span<const OptionOf<Options>> table, const Options& options, const char* owner) {
  Options unused;
  for (const OptionOf<Options>& option : table) {
    if (replaced(option, options) || option.is_default(options)) continue;
    const std::string name = fmt::format("{}::{}", owner, option.field);
    if (Result<void> set = option.set(unused, option.text(options), name); !set) return set;
  }
  return {};
}

}  // namespace

std::vector<std::string> OptionRow::example_list() const {
  std::vector<std::string> list;
  std::string_view rest = examples;
  for (std::string_view one = next_token(rest); !one.empty(); one = next_token(rest)) list.emplace_back(one);
  return list;
}

std::string OptionRow::values() const {
  if (kind == OptionKind::whole) return fmt::format("{} to {}", least, most);
  if (kind == OptionKind::number) return fmt::format("{} to {}", least_number, most_number);
  const std::vector<std::string> list = example_list();
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == list.size() ? " or " : ", ") + list[i];
  }
  return text;
}

std::string OptionRow::variable() const {
  std::string name = "TROUPE_" + std::string(word);
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return name;
}

std::string OptionRow::flag() const { return "--" + dashed(word); }

std::string_view OptionRow::python_type() const {
  switch (kind) {
    case OptionKind::flag: return "bool";
    case OptionKind::whole: return "int";
    case OptionKind::number: return "float";
    case OptionKind::bytes:
    case OptionKind::devices: return "int or str";
    case OptionKind::time: return "float or str";
    case OptionKind::path: return "path";
    case OptionKind::text:
    case OptionKind::word: break;
  }
  return "str";
}

std::string OptionRow::help() const {
  std::string text(meaning);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  std::string details;
  if (kind != OptionKind::whole && kind != OptionKind::number && kind != OptionKind::flag) {
    details = (kind == OptionKind::word ? "" : "for example ") + values();
  }
  if (!page.empty()) details += fmt::format("{}docs/{}", details.empty() ? "" : "; ", page);
  if (!details.empty()) text += fmt::format(" ({})", details);
  return text;
}

std::span<const RuntimeOption> runtime_options() { return option_rows::kOptions; }

const RuntimeOption* option_of(std::string_view word) { return option_in(runtime_options(), word); }

std::span<const SimulationOption> simulation_options() { return option_rows::kSimulationOptions; }

const SimulationOption* simulation_option_of(std::string_view word) { return option_in(simulation_options(), word); }

Result<void> check_options(const RuntimeOptions& options) {
  if (Result<void> usable = check_each(runtime_options(), options, "RuntimeOptions"); !usable) return usable;
  if (!options.simulation) return {};
  Result<void> usable = check_each(simulation_options(), *options.simulation, "SimulationOptions");
  for (const SimulationOption& simulated : simulation_options()) {
    const RuntimeOption* const option = option_of(simulated.word);
    // The seed of a runtime is that of its policy, too.
    if (!usable || option == nullptr || option->word == "seed" || option->is_default(options)) continue;
    usable = Failure{ErrorCode::invalid_argument,
                     fmt::format("RuntimeOptions::{} has no effect in virtual time: set SimulationOptions::{}",
                                 option->field, simulated.field)};
  }
  return usable;
}

}  // namespace troupe
