#include "tests/support/random/simulated_run_actor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "actors/running/runtime_system.hpp"
#include "proto/random.hpp"
#include "tests/support/drawing.hpp"
#include "tests/support/random/random_faults.hpp"
#include "tests/support/random/random_machine.hpp"
#include "tests/support/random/random_policy.hpp"
#include "tests/support/random/random_recording.hpp"
#include "tests/support/random/simulated_trace_check_actor.hpp"
#include "troupe/simulation_options.hpp"
#include "troupe/why.hpp"

namespace troupe::tests {

namespace {

/// Returns a random size of GPU memory, a multiple of 256 bytes, which is the unit of allocation.
Bytes random_memory(Random& random, bool roomy) {
  if (roomy || chance(random, 15)) return {std::uint64_t{1} << 20U};
  return {(1 + random.below(chance(random, 50) ? 8 : 40)) * 256};
}

SimulationOptions random_simulation(Random& random, std::uint64_t seed) {
  SimulationOptions options;
  const auto gpus = static_cast<int>(random.below(5));
  options.machine = random_machine(random, gpus);
  for (int gpu = 0; gpu < gpus; ++gpu) {
    if (!chance(random, 15)) options.gpus.push_back(gpu);
  }
  if (chance(random, 20)) std::reverse(options.gpus.begin(), options.gpus.end());
  options.cores = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(options.machine.cores)));
  // If `cores` is 0, the runtime uses all cores that do not drive a GPU. There may be no such core.
  if (chance(random, 20) && options.machine.cores >= static_cast<int>(options.gpus.size())) options.cores = 0;
  options.noise = chance(random, 40);
  options.seed = seed;
  options.accelerators.ahead.gpu = random.below(4);
  options.accelerators.ahead.core = random.below(4);
  if (chance(random, 30)) options.accelerators.kernel_overhead = std::chrono::microseconds(random.below(30));
  if (chance(random, 30)) options.copies.overhead = std::chrono::microseconds(random.below(30));
  if (chance(random, 60)) {
    options.accelerators.launch = std::chrono::microseconds(random.below(10));
    options.accelerators.notice = std::chrono::microseconds(random.below(60));
  }
  options.accelerators.ahead.issue = random.below(10);
  options.copies.write_back_finished = chance(random, 40);
  if (chance(random, 40)) options.knowledge.model = SimulationOptions::Model::learned;
  if (chance(random, 30)) options.knowledge.kernel_error = 3;
  if (chance(random, 30)) options.knowledge.bandwidth_error = 3;
  options.real_buffers = true;
  options.disturbances.shuffle_messages = chance(random, 70);
  return options;
}

bool has_cores(const SimulationOptions& options) {
  return options.cores > 0 || options.machine.cores > static_cast<int>(options.gpus.size());
}

/// Kills a random actor from time to time.
class Killer {
 public:
  Killer(actors::RuntimeSystem& system, std::uint64_t seed) : system_(system), random_(seed) {}

  void strike() {
    const auto draw = random_.below(100);
    if (draw < 5) system_.kill_worker(WorkerId(random_.below(static_cast<std::uint32_t>(system_.workers()))));
    if (draw >= 5 && draw < 8) system_.kill_scheduler();
    if (draw >= 8 && draw < 11) system_.kill_memory();
  }

 private:
  actors::RuntimeSystem& system_;
  Random random_;
};

}  // namespace

SimulatedRun simulated_run(std::uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15ULL);
  SimulatedRun run;
  run.seed = seed;
  SimulationOptions simulation = random_simulation(random, seed);
  const bool cores = has_cores(simulation);
  simulation.accelerators.gpu_memory = random_memory(random, !cores);
  run.runtime.policy = random_policy(random);
  run.runtime.window = pick(random, std::array<std::size_t, 6>{1, 2, 5, 33, 256, 65536});
  run.runtime.seed = seed;
  run.runtime.trace = true;
  run.program.seed = seed;
  run.program.operations = 10 + static_cast<int>(random.below(150));
  run.program.faults = chance(random, 20);
  run.program.nested = chance(random, 40);
  run.program.waits = chance(random, 75);
  run.program.repartitions = run.program.waits;
  run.program.parts = cores;
  run.program.scale = 1 + static_cast<int>(random.below(6));
  run.program.devices = {true, cores, !simulation.gpus.empty(), *simulation.accelerators.gpu_memory};
  run.losses = run.program.losses = chance(random, 20);
  run.runtime.simulation = std::make_shared<const SimulationOptions>(std::move(simulation));
  return run;
}

SimulatedRun simulated_run_with_faults(std::uint64_t seed) {
  SimulatedRun run = simulated_run(seed);
  Random random(seed * 0xd1b54a32d192ed03ULL + 5);
  SimulationOptions simulation = run.simulation();
  simulation.disturbances.faults = random_faults(random, seed);
  run.program.device_faults = true;
  run.runtime.simulation = std::make_shared<const SimulationOptions>(std::move(simulation));
  return run;
}

SimulatedRun simulated_run_on_many_devices(std::uint64_t seed) {
  SimulatedRun run = simulated_run(seed);
  Random random(seed * 0x2545f4914f6cdd1dULL + 9);
  constexpr int kGpus = 100;
  SimulationOptions simulation = run.simulation();
  simulation.machine = random_machine(random, kGpus);
  simulation.machine.cores = simulation.cores = 70;
  simulation.gpus.resize(kGpus);
  std::iota(simulation.gpus.begin(), simulation.gpus.end(), 0);
  simulation.accelerators.gpu_memory = random_memory(random, false);
  run.runtime.policy = pick(random, std::array<const char*, 4>{"lws", "ws", "heft", "eager"});
  run.runtime.window = 65536;
  run.program.operations = 500;
  run.program.waits = false;
  run.program.parts = true;
  run.program.devices = {true, true, true, *simulation.accelerators.gpu_memory};
  run.runtime.simulation = std::make_shared<const SimulationOptions>(std::move(simulation));
  return run;
}

std::string describe(const SimulatedRun& run) {
  const SimulationOptions& options = run.simulation();
  return fmt::format("{} cores of {}, GPUs [{}] with {} bytes, {}, window {}, lookahead {} and {}{}{}{}{}{}{}",
                     options.cores, options.machine.cores, fmt::join(options.gpus, " "),
                     options.accelerators.gpu_memory->count, run.runtime.policy, run.runtime.window,
                     options.accelerators.ahead.gpu, options.accelerators.ahead.core, options.noise ? ", noise" : "",
                     options.disturbances.shuffle_messages ? ", shuffled" : "", run.program.faults ? ", faults" : "",
                     run.program.nested ? ", nested" : "", run.losses ? ", losses" : "",
                     describe(options.disturbances.faults));
}

std::vector<std::string> execute(const SimulatedRun& run, Seen* seen) {
  const auto system = actors::RuntimeSystem::start(run.runtime).value_or_throw();
  ProgramOptions options = run.program;
  Killer killer(*system, run.seed);
  if (run.losses) options.between = [&killer] { killer.strike(); };
  RanProgram ran;
  std::vector<std::string> problems = run_program(system->graph(), options, &ran);
  const Trace recorded = system->take_trace();
  const RunReport report = system->report();
  if (!problems.empty() && report.ended < report.submitted) problems.push_back(system->why().to_text());
  // The check of traces cannot check runs in which copies or kernels fail.
  if (!run.program.device_faults) {
    check_simulated_trace({run.simulation(), make_program(options), ran, recorded, report, run.losses}, problems);
  }
  if (seen != nullptr) *seen = {text_of(recorded), report, std::move(ran)};
  return problems;
}

std::vector<std::string> execute_recorded(const SimulatedRun& run) {
  const auto system = actors::RuntimeSystem::start(run.runtime).value_or_throw();
  RandomRecordingOptions recording;
  recording.seed = run.program.seed;
  recording.tasks = run.program.operations;
  recording.faults = run.program.faults;
  recording.devices = run.program.devices;
  recording.parts = run.program.parts;
  return run_random_recording(system->graph(), recording);
}

}  // namespace troupe::tests
