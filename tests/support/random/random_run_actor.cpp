#include "tests/support/random/random_run_actor.hpp"

#include <array>

#include "actors/running/runtime_system.hpp"
#include "proto/random.hpp"
#include "tests/support/random/random_recording.hpp"

namespace troupe::tests {

RandomRun random_run(std::uint64_t seed) {
  constexpr std::array kPolicies{"eager", "ws", "lws"};
  constexpr std::array<std::size_t, 6> kWindows{1, 2, 5, 33, 256, 65536};
  Random random(seed);
  RandomRun run;
  run.runtime.cores = 1 + static_cast<int>(random.below(16));
  run.runtime.policy = kPolicies[random.below(kPolicies.size())];
  run.runtime.window = kWindows[random.below(kWindows.size())];
  run.runtime.threads.oversubscribe = true;
  run.runtime.threads.bind = false;
  run.runtime.seed = seed;
  run.runtime.threads.deterministic = random.below(4) == 0;
  run.program.seed = seed;
  run.program.submitters = run.runtime.threads.deterministic ? 1 : 1 + static_cast<int>(random.below(4));
  run.program.operations = 10 + static_cast<int>(random.below(120));
  run.program.faults = random.below(3) == 0;
  run.program.nested = random.below(2) == 0;
  run.program.waits = random.below(4) != 0;
  run.program.repartitions = run.program.waits;
  run.program.canceller = !run.runtime.threads.deterministic && random.below(4) == 0;
  return run;
}

std::string describe(const RandomRun& run) {
  return std::to_string(run.runtime.cores) + " workers, " + run.runtime.policy + ", window " +
         std::to_string(run.runtime.window) + (run.runtime.threads.deterministic ? ", deterministic, " : ", ") +
         std::to_string(run.program.submitters) + " submitters" + (run.program.faults ? ", faults" : "") +
         (run.program.nested ? ", nested" : "") + (run.program.canceller ? ", tasks are cancelled" : "");
}

std::vector<std::string> execute(const RandomRun& run, RanProgram* ran) {
  const auto system = actors::RuntimeSystem::start(run.runtime).value_or_throw();
  return run_program(system->graph(), run.program, ran);
}

std::vector<std::string> execute_recorded(const RandomRun& run) {
  const auto system = actors::RuntimeSystem::start(run.runtime).value_or_throw();
  RandomRecordingOptions recording;
  recording.seed = run.program.seed;
  recording.tasks = run.program.operations;
  recording.faults = run.program.faults;
  return run_random_recordings(system->graph(), recording, static_cast<std::size_t>(run.program.submitters));
}

}  // namespace troupe::tests
