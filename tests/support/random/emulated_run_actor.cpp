#include "tests/support/random/emulated_run_actor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "actors/running/runtime_system.hpp"
#include "proto/random.hpp"
#include "tests/support/drawing.hpp"
#include "tests/support/random/random_faults.hpp"
#include "tests/support/random/random_policy.hpp"
#include "tests/support/random/random_recording.hpp"
#include "troupe/why.hpp"

namespace troupe::tests {

namespace {

/// Returns a random size, a multiple of 256 bytes, which is the unit of allocation.
Bytes random_memory(Random& random) {
  if (chance(random, 15)) return {std::uint64_t{1} << 20U};
  return {(1 + random.below(chance(random, 70) ? 6 : 24)) * 256};
}

platform::EmulationOptions random_accelerator(Random& random, bool peers) {
  constexpr std::array<double, 4> kRates{2e7, 1e8, 1e9, 1e10};
  platform::EmulationOptions options;
  options.memory = random_memory(random);
  options.to_device_bytes_per_s = pick(random, kRates);
  options.to_host_bytes_per_s = pick(random, kRates);
  options.latency = std::chrono::microseconds(chance(random, 10) ? 200 : random.below(40));
  if (peers && chance(random, 75)) options.peer_bytes_per_s = pick(random, kRates);
  return options;
}

void watch(EmulatedRun& run) {
  run.runtime.observation.why_after = std::chrono::seconds(20);
  run.runtime.observation.on_stall = [seed = run.seed](const WhyReport& why) {
    std::fprintf(stderr, "seed %llu: nothing moves\n%s\n", static_cast<unsigned long long>(seed),
                 why.to_text().c_str());
  };
}

}  // namespace

EmulatedRun emulated_run(std::uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15ULL + 3);
  EmulatedRun run;
  run.seed = seed;
  run.runtime.cores = 1 + static_cast<int>(random.below(3));
  run.runtime.threads.oversubscribe = true;
  run.runtime.threads.bind = false;
  run.runtime.policy = random_policy(random);
  run.runtime.window = pick(random, std::array<std::size_t, 6>{1, 2, 5, 33, 256, 65536});
  run.runtime.seed = seed;
  run.runtime.accelerators.ahead.gpu = random.below(5);
  run.runtime.accelerators.ahead.issue = random.below(10);
  run.runtime.accelerators.ahead.core = random.below(3);
  run.runtime.trace = chance(random, 30);
  run.program.device_faults = random.below(3) == 0;
  const platform::FaultOptions faults = random_faults(random, seed);
  const bool peers = chance(random, 50);
  const auto accelerators = 1 + random.below(3);
  Bytes least{~std::uint64_t{0}};
  for (std::uint64_t i = 0; i < accelerators; ++i) {
    platform::EmulationOptions one = random_accelerator(random, peers);
    least = std::min(least, one.memory);
    // Some accelerators have no faults, so that the run does not lose all accelerators.
    if (run.program.device_faults && chance(random, 75)) {
      one.faults = faults;
      one.faults.seed += i;
    }
    run.runtime.accelerators.emulated_gpus.push_back(one);
  }
  run.program.seed = seed;
  run.program.submitters = chance(random, 60) ? 1 : 2 + static_cast<int>(random.below(3));
  run.program.operations = 10 + static_cast<int>(random.below(100));
  run.program.faults = chance(random, 20);
  run.program.nested = chance(random, 40);
  run.program.waits = chance(random, 75);
  run.program.repartitions = run.program.waits;
  run.program.scale = 2 + static_cast<int>(random.below(6));
  run.program.devices = {true, true, true, least, DeviceKind::emulated};
  run.program.canceller = chance(random, 30);
  watch(run);
  return run;
}

std::string describe(const EmulatedRun& run) {
  std::string text = fmt::format("{} cores, {}, window {}, lookahead {} and {}, {} submitters{}{}", run.runtime.cores,
                                 run.runtime.policy, run.runtime.window, run.runtime.accelerators.ahead.gpu,
                                 run.runtime.accelerators.ahead.core, run.program.submitters,
                                 run.program.faults ? ", faults" : "", run.program.nested ? ", nested" : "");
  if (run.program.canceller) text += ", tasks are cancelled";
  for (const platform::EmulationOptions& one : run.runtime.accelerators.emulated_gpus) {
    text += fmt::format(", GPU with {} bytes, {:g} B/s to it, {:g} from it, {} us, peers {:g}{}", one.memory.count,
                        one.to_device_bytes_per_s, one.to_host_bytes_per_s, one.latency.count() / 1000,
                        one.peer_bytes_per_s, describe(one.faults));
  }
  return text;
}

std::vector<std::string> execute(const EmulatedRun& run, RanProgram* ran, RunReport* report) {
  const auto system = actors::RuntimeSystem::start(run.runtime).value_or_throw();
  std::vector<std::string> problems = run_program(system->graph(), run.program, ran);
  if (report != nullptr) *report = system->report();
  return problems;
}

std::vector<std::string> execute_recorded(const EmulatedRun& run) {
  RuntimeOptions runtime = run.runtime;
  for (platform::EmulationOptions& one : runtime.accelerators.emulated_gpus) one.faults = {};
  const auto system = actors::RuntimeSystem::start(runtime).value_or_throw();
  RandomRecordingOptions recording;
  recording.seed = run.program.seed;
  recording.tasks = run.program.operations / 2;
  recording.rounds = 6;
  recording.faults = run.program.faults;
  recording.devices = run.program.devices;
  return run_random_recordings(system->graph(), recording, static_cast<std::size_t>(run.program.submitters));
}

}  // namespace troupe::tests
