#include "c/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "platform/accelerators/emulation_arguments.hpp"
#include "troupe/errors.hpp"
#include "troupe/machine.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::c {

namespace {

Failure negative(const char* field, std::int64_t value) {
  return {ErrorCode::invalid_argument, fmt::format("troupe_options.{} is {}: it must not be negative", field, value)};
}

void set_text(std::string& option, const char* text) {
  if (text != nullptr) option = text;
}

void set_observers(const troupe_options& given, RuntimeOptions& options) {
  if (!(given.why_after >= 0) || given.why_after > 1e9) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("troupe_options.why_after is {}: give seconds, at most 1e9", given.why_after));
  }
  options.why_after = Duration(static_cast<Duration::rep>(given.why_after * 1e9));
  if (options.why_after > Duration{} || given.on_stall != nullptr) {
    options.on_stall = [call = given.on_stall, user = given.user](const WhyReport& report) {
      if (call != nullptr) return call(report.to_text().c_str(), user);
      fmt::print(stderr, "troupe: stalled\n{}", report.to_text());
    };
  }
  if (given.on_warning != nullptr) {
    options.on_warning = [call = given.on_warning, user = given.user](const std::string& what) {
      call(what.c_str(), user);
    };
  }
}

void set_simulation(const troupe_options& given, RuntimeOptions& options) {
  SimulationOptions simulation;
  simulation.machine = platform::load_machine(given.platform).value_or_throw();
  simulation.cores = given.cores;
  simulation.clusters = options.clusters;
  simulation.seed = options.seed;
  simulation.real_buffers = given.execute != 0;
  if (static_cast<std::size_t>(given.gpus) > simulation.machine.gpus.size()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} GPUs are asked for, and '{}' has {}", given.gpus,
                                                         given.platform, simulation.machine.gpus.size()));
  }
  for (int gpu = 0; gpu < given.gpus; ++gpu) simulation.gpus.push_back(gpu);
  if (given.gpu_memory != 0) simulation.gpu_memory = Bytes{given.gpu_memory};
  options.cores = 0;
  options.clusters.clear();
  options.gpus = 0;
  options.gpu_memory.reset();
  options.simulation = std::make_shared<const SimulationOptions>(std::move(simulation));
}

}  // namespace

troupe_options settled(const troupe_options* given) {
  // No version of the structure is larger than this, so a larger size is garbage.
  constexpr std::size_t kLargest = 65536;
  troupe_options options{};
  if (given == nullptr) return options;
  if (given->size < offsetof(troupe_options, policy) || given->size > kLargest) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("troupe_options.size is {}: set it to sizeof(troupe_options)", given->size));
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  const std::size_t known = std::min(given->size, sizeof options);
  if (std::any_of(bytes + known, bytes + given->size, [](unsigned char byte) { return byte != 0; })) {
    throw Error(ErrorCode::invalid_argument,
                "troupe_options has fields that this version of Troupe does not know: install the version that the "
                "program was compiled for");
  }
  std::memcpy(&options, given, known);
  return options;
}

RuntimeOptions to_runtime_options(const troupe_options& given) {
  if (given.cores < 0) throw Error(negative("cores", given.cores));
  if (given.gpus < 0) throw Error(negative("gpus", given.gpus));
  RuntimeOptions options;
  options.cores = given.cores;
  set_text(options.policy, given.policy);
  set_text(options.clusters, given.clusters);
  options.regroup = given.regroup != 0;
  set_text(options.restrict, given.restrict_tasks);
  set_text(options.model_folder, given.models);
  if (given.window != 0) options.window = given.window;
  if (given.seed != 0) options.seed = given.seed;
  options.trace = given.trace != 0;
  if (given.trace_limit != 0) options.trace_limit = given.trace_limit;
  options.bind = given.unbound == 0 && given.oversubscribe == 0;
  options.use_hyperthreads = given.hyperthreads != 0;
  options.oversubscribe = given.oversubscribe != 0;
  set_text(options.restrict_to, given.cpus);
  options.gpus = given.gpus;
  if (given.gpu_memory != 0) options.gpu_memory = Bytes{given.gpu_memory};
  if (given.emulated_gpus != nullptr) {
    options.emulated_gpus = platform::parse_emulated_gpus(given.emulated_gpus).value_or_throw();
  }
  set_text(options.opencl, given.opencl);
  if (given.opencl_memory != 0) options.opencl_memory = Bytes{given.opencl_memory};
  set_text(options.eviction, given.eviction);
  set_observers(given, options);
  if (given.platform != nullptr) set_simulation(given, options);
  return options;
}

}  // namespace troupe::c
