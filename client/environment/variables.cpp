#include "client/environment/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "actors/running/option_values.hpp"
#include "actors/scheduler/policy.hpp"
#include "client/environment/durations.hpp"
#include "client/environment/run_writer.hpp"
#include "client/environment/whole_numbers.hpp"
#include "graph/codelets/restrictions.hpp"
#include "platform/accelerators/emulation_arguments.hpp"
#include "platform/machine/cluster_candidates.hpp"
#include "platform/machine/cluster_stages.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/byte_amounts.hpp"
#include "proto/tokens.hpp"
#include "troupe/runtime.hpp"

namespace troupe::client {

namespace {

Failure unusable(std::string what) { return {ErrorCode::invalid_argument, std::move(what)}; }

template <class T>
Result<void> outcome_of(const Result<T>& result) {
  if (!result) return result.failure();
  return {};
}

template <auto Member>
bool untouched(const RuntimeOptions& options) {
  return options.*Member == RuntimeOptions{}.*Member;
}
bool always(const RuntimeOptions&) { return true; }
bool no_policy(const RuntimeOptions& options) {
  return untouched<&RuntimeOptions::policy>(options) && !options.make_policy;
}
bool no_emulated_gpus(const RuntimeOptions& options) { return options.emulated_gpus.empty(); }

/// The largest number that every option's type can hold.
constexpr std::uint64_t kAny = std::numeric_limits<std::int64_t>::max();

/// Sets a whole number in [Least, Most].
template <auto Member, std::uint64_t Least, std::uint64_t Most>
Result<void> set_number(Settings& settings, const std::string& value) {
  static_assert(Least >= 0);
  const ParsedNumber<std::uint64_t> number = parse_whole(value);
  if (number.status != NumberStatus::ok || std::clamp(number.value, Least, Most) != number.value) {
    return unusable(Most == kAny ? fmt::format("give a whole number of at least {}", Least)
                                 : fmt::format("give a whole number from {} to {}", Least, Most));
  }
  using Number = std::remove_reference_t<decltype(settings.options.*Member)>;
  settings.options.*Member = static_cast<Number>(number.value);
  return {};
}
constexpr std::uint64_t kMostCores = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostGpus = 1024;
constexpr std::uint64_t kMostTasks = std::uint64_t{1} << 40U;

Result<void> read_switch(bool& on, const std::string& value) {
  const std::optional<bool> given = parse_switch(value);
  if (!given) return unusable("give 1 or 0");
  on = *given;
  return {};
}
template <auto Member>
Result<void> set_switch(Settings& settings, const std::string& value) {
  return read_switch(settings.options.*Member, value);
}

template <auto Member>
Result<void> set_bytes(Settings& settings, const std::string& value) {
  const auto bytes = parse_bytes(value);
  if (!bytes || bytes->count == 0) return unusable("give a positive number and a unit, such as 512MiB or 8GiB");
  settings.options.*Member = *bytes;
  return {};
}

template <auto Member>
Result<void> set_text(Settings& settings, const std::string& value) {
  settings.options.*Member = value;
  return {};
}

Result<void> set_policy(Settings& settings, const std::string& value) {
  settings.options.policy = value;
  return outcome_of(scheduler::make_policy(value, {}));
}

Result<void> set_clusters(Settings& settings, const std::string& value) {
  settings.options.clusters = value;
  if (value == platform::kAutomaticClusters) return {};
  return outcome_of(platform::parse_cluster_stages(value));
}

Result<void> set_cpus(Settings& settings, const std::string& value) {
  settings.options.restrict_to = value;
  return outcome_of(platform::parse_cpu_set(value));
}

Result<void> set_restrict(Settings& settings, const std::string& value) {
  settings.options.restrict = value;
  return outcome_of(parse_restrictions(value));
}

Result<void> set_emulated_gpus(Settings& settings, const std::string& value) {
  auto parsed = platform::parse_emulated_gpus(value);
  if (!parsed) return parsed.failure();
  settings.options.emulated_gpus = std::move(parsed).value();
  return {};
}

Result<void> set_eviction(Settings& settings, const std::string& value) {
  settings.options.eviction = value;
  return outcome_of(memory::make_eviction_policy(value));
}

Result<void> set_models(Settings& settings, const std::string& value) {
  settings.options.model_folder = model_folder_of(value);
  if (value == "none") return {};
  if (!settings.options.model_folder.empty()) return {};
  return unusable("there is no usual folder where neither XDG_CACHE_HOME nor HOME is set: name one");
}

Result<void> set_trace(Settings& settings, const std::string& value) {
  settings.options.trace = true;
  settings.at_stop.trace = value;
  const RunWriter* const writer = run_writer();
  return writer == nullptr ? Result<void>{} : writer->check_trace_path(value);
}

Result<void> set_report(Settings& settings, const std::string& value) {
  if (auto usable = read_switch(settings.at_stop.report, value); !usable) return usable;
  settings.options.trace = settings.options.trace || settings.at_stop.report;
  return {};
}

Result<void> set_metrics(Settings& settings, const std::string& value) {
  return read_switch(settings.at_stop.metrics, value);
}

Result<void> set_why_after(Settings& settings, const std::string& value) {
  const auto after = parse_duration(value);
  if (!after) return unusable("give a positive number and a unit (ms, s, m or h), such as 5s, 500ms or 2m");
  settings.options.why_after = *after;
  if (!settings.options.on_stall) {
    settings.options.on_stall = [](const WhyReport& report) {
      fmt::print(stderr, "troupe: stalled\n{}", report.to_text());
    };
  }
  return {};
}

using Options = RuntimeOptions;

constexpr std::array kVariables{
    Variable{"TROUPE_CORES", "a number", "how many cores run tasks; without it, all that the process may use",
             "RuntimeOptions::cores", false, untouched<&Options::cores>, set_number<&Options::cores, 1, kMostCores>},
    Variable{"TROUPE_CPUS", "`0-3,8`", "only these processing units", "RuntimeOptions::restrict_to", false,
             untouched<&Options::restrict_to>, set_cpus},
    Variable{"TROUPE_BIND", "`0`, `1`", "`0`: workers' threads are not bound to their cores", "RuntimeOptions::bind",
             false, untouched<&Options::bind>, set_switch<&Options::bind>},
    Variable{"TROUPE_HYPERTHREADS", "`0`, `1`", "`1`: every hyperthread counts as a core",
             "RuntimeOptions::use_hyperthreads", false, untouched<&Options::use_hyperthreads>,
             set_switch<&Options::use_hyperthreads>},
    Variable{"TROUPE_CLUSTERS", "`2x10`, `1x16+4x1`, `socket`, `numa`, `l3`, `auto`, `2x10,1500:single`",
             "which cores work together, each such cluster as one worker ([clusters.md](clusters.md))",
             "RuntimeOptions::clusters", false, untouched<&Options::clusters>, set_clusters},
    Variable{"TROUPE_REGROUP", "`0`, `1`", "`1`: the program may change its clusters while tasks run",
             "RuntimeOptions::regroup", false, untouched<&Options::regroup>, set_switch<&Options::regroup>},
    Variable{"TROUPE_POLICY", "a policy's name, and its options behind a colon",
             "where tasks run ([policies.md](policies.md))", "RuntimeOptions::policy", false, no_policy, set_policy},
    Variable{"TROUPE_RESTRICT", "`potrf,trsm:cores`", "codelets whose tasks only some devices may run",
             "RuntimeOptions::restrict", false, untouched<&Options::restrict>, set_restrict},
    Variable{"TROUPE_MODELS", "a folder, `default`, `none`",
             "where placing policies keep the kernel times that they learn; `default`: where the command line does "
             "([models.md](models.md))",
             "RuntimeOptions::model_folder", false, untouched<&Options::model_folder>, set_models},
    Variable{"TROUPE_WINDOW", "a number", "tasks that may be in flight before submitting blocks",
             "RuntimeOptions::window", false, untouched<&Options::window>, set_number<&Options::window, 1, kMostTasks>},
    Variable{"TROUPE_SEED", "a number", "of the random choices of policies", "RuntimeOptions::seed", false,
             untouched<&Options::seed>, set_number<&Options::seed, 0, kAny>},
    Variable{"TROUPE_GPUS", "a number", "CUDA GPUs, the first of those that the process may use",
             "RuntimeOptions::gpus", false, untouched<&Options::gpus>, set_number<&Options::gpus, 0, kMostGpus>},
    Variable{"TROUPE_GPU_MEMORY", "`8GiB`", "the most that data may take on each CUDA GPU",
             "RuntimeOptions::gpu_memory", false, untouched<&Options::gpu_memory>, set_bytes<&Options::gpu_memory>},
    Variable{"TROUPE_EMULATED_GPUS", "`2`, `2:memory=256MiB,bandwidth=8GB/s`",
             "accelerators that are emulated ([accelerators.md](accelerators.md))", "RuntimeOptions::emulated_gpus",
             false, no_emulated_gpus, set_emulated_gpus},
    Variable{"TROUPE_OPENCL", "`all`, `gpu`, `cpu`, `0,2`", "OpenCL devices, as `troupe info` lists them",
             "RuntimeOptions::opencl", false, untouched<&Options::opencl>, set_text<&Options::opencl>},
    Variable{"TROUPE_OPENCL_MEMORY", "`512MiB`",
             "the most that data may take on each OpenCL device; also of programs in OpenCL ([opencl.md](opencl.md))",
             "RuntimeOptions::opencl_memory", false, untouched<&Options::opencl_memory>,
             set_bytes<&Options::opencl_memory>},
    Variable{"TROUPE_OPENCL_COPIES", "`0`, `1`",
             "`1`: OpenCL devices that share the host's memory work on copies, too; also of programs in OpenCL",
             "RuntimeOptions::opencl_copies", false, untouched<&Options::opencl_copies>,
             set_switch<&Options::opencl_copies>},
    Variable{"TROUPE_LOOKAHEAD", "a number", "tasks whose data an accelerator fetches while its kernels run",
             "RuntimeOptions::gpu_lookahead", false, untouched<&Options::gpu_lookahead>,
             set_number<&Options::gpu_lookahead, 0, kMostLookahead>},
    Variable{"TROUPE_ISSUE_AHEAD", "a number", "tasks that an accelerator is given while it is busy",
             "RuntimeOptions::issue_ahead", false, untouched<&Options::issue_ahead>,
             set_number<&Options::issue_ahead, 0, kMostIssuedAhead>},
    Variable{"TROUPE_EVICTION", "`next-use`, `reuse`, `lru`",
             "what leaves a full memory first ([eviction.md](eviction.md))", "RuntimeOptions::eviction", false,
             untouched<&Options::eviction>, set_eviction},
    Variable{"TROUPE_REUSE_PROFILE", "a file", "how often data are used, for the eviction `reuse`",
             "RuntimeOptions::reuse_profile", false, untouched<&Options::reuse_profile>,
             set_text<&Options::reuse_profile>},
    Variable{"TROUPE_TRACE", "`t.json`, `t.paje`",
             "what ran when is written there when the runtime stops; that of a second runtime of the process to "
             "`t-2.json`. `%p` stands for the number of the process",
             "RuntimeOptions::trace", true, always, set_trace},
    Variable{"TROUPE_TRACE_LIMIT", "a number", "entries that a trace may have", "RuntimeOptions::trace_limit", true,
             untouched<&Options::trace_limit>, set_number<&Options::trace_limit, 1, kMostTasks>},
    Variable{"TROUPE_REPORT", "`0`, `1`",
             "`1`: where the time went is printed on standard error when the runtime stops. It records a trace",
             "RuntimeOptions::trace", true, always, set_report},
    Variable{"TROUPE_METRICS", "`0`, `1`",
             "`1`: every actor's mailbox figures are printed on standard error when the runtime stops", "", true,
             always, set_metrics},
    Variable{"TROUPE_WHY_AFTER", "`5s`, `500ms`, `2m`",
             "when no task has started or ended for so long, standard error says why", "RuntimeOptions::why_after",
             false, untouched<&Options::why_after>, set_why_after},
};

constexpr std::array kOthers{
    OtherVariable{"TROUPE_SOCKET_FOLDER",
                  "the folder of the service's sockets, for `Runtime::connect` and the commands "
                  "that ask a service ([service.md](service.md))"},
    OtherVariable{"TROUPE_CUDA_LIBRARIES",
                  "the folder of CUDA's libraries "
                  "([accelerators-cuda.md](accelerators-cuda.md))"},
    OtherVariable{"TROUPE_OPENCL_TRACE", "as `TROUPE_TRACE`, of programs in OpenCL ([opencl.md](opencl.md))"},
    OtherVariable{"TROUPE_OPENCL_SPLIT", "whether one launch of an OpenCL kernel runs on several devices"},
    OtherVariable{"TROUPE_OPENCL_CLANG", "the compiler that tells which arguments an OpenCL kernel never writes"},
    OtherVariable{"TROUPE_TEST_GPU", "of Troupe's own tests: a GPU to use in place of the fake"},
};

}  // namespace

std::span<const Variable> variables() { return kVariables; }
std::span<const OtherVariable> other_variables() { return kOthers; }

}  // namespace troupe::client
