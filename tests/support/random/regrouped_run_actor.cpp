#include "tests/support/random/regrouped_run_actor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "actors/running/runtime_system.hpp"
#include "proto/random.hpp"
#include "tests/support/drawing.hpp"
#include "troupe/simulation_options.hpp"
#include "troupe/why.hpp"

namespace troupe::tests {

namespace {

/// Returns random clusters such as "1x3+2x2", sometimes none.
std::string random_clusters(Random& random, int cores) {
  std::string clusters;
  while (cores > 1 && chance(random, clusters.empty() ? 85 : 60)) {
    const int size = 2 + static_cast<int>(random.below(static_cast<std::uint32_t>(cores - 1)));
    clusters += fmt::format("{}1x{}", clusters.empty() ? "" : "+", size);
    cores -= size;
  }
  return clusters.empty() ? "single" : clusters;
}

template <class Run>
void prepare(Run& run, Random& random, int cores) {
  run.runtime.threads.regroup = true;
  const std::string clusters = random_clusters(random, cores);
  run.runtime.clusters = clusters == "single" ? "" : clusters;
  run.program.losses = chance(random, 30);
  if (run.program.losses) run.program.submitters = 1;
}

int cores_of(const actors::RuntimeSystem& system) { return static_cast<int>(system.topology().cores.size()); }

/// Regroups the cores, and kills actors if the program expects this.
class Regrouper {
 public:
  Regrouper(actors::RuntimeSystem& system, std::uint64_t seed, bool kills)
      : system_(system), random_(seed * 0xbf58476d1ce4e5b9ULL + 11), kills_(kills) {}

  void strike() {
    if (chance(random_, 30)) system_.regroup(random_clusters(random_, cores_of(system_))).value_or_throw();
    if (kills_ && chance(random_, 5)) {
      system_.kill_worker(WorkerId(random_.below(static_cast<std::uint32_t>(system_.workers()))));
    }
  }

 private:
  actors::RuntimeSystem& system_;
  Random random_;
  const bool kills_;
};

template <class Run>
std::vector<std::string> execute_one(const Run& run, std::uint64_t* regroupings) {
  const auto system = actors::RuntimeSystem::start(run.runtime).value_or_throw();
  ProgramOptions options = run.program;
  const bool threads = !run.runtime.simulation && !run.runtime.threads.deterministic;
  Regrouper regrouper(*system, run.program.seed, run.program.losses);
  std::atomic<bool> stop{false};
  std::thread always;
  if (threads) {
    always = std::thread([&] {
      while (!stop) {
        regrouper.strike();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    });
  } else {
    options.between = [&] { regrouper.strike(); };
  }
  std::vector<std::string> problems = run_program(system->graph(), options, nullptr);
  stop = true;
  if (always.joinable()) always.join();
  const RunReport report = system->report();
  if (!problems.empty() && report.ended < report.submitted) problems.push_back(system->why().to_text());
  if (regroupings != nullptr) *regroupings = report.regroupings;
  return problems;
}

}  // namespace

RegroupedRun regrouped_run(std::uint64_t seed) {
  Random random(seed * 0x94d049bb133111ebULL + 7);
  switch (random.below(3)) {
    case 0: {
      RandomRun run = random_run(seed);
      run.runtime.cores = std::max(run.runtime.cores, 2);
      prepare(run, random, run.runtime.cores);
      return run;
    }
    case 1: {
      EmulatedRun run = emulated_run(seed);
      run.runtime.cores = std::max(run.runtime.cores, 2);
      prepare(run, random, run.runtime.cores);
      return run;
    }
    default: {
      SimulatedRun run = chance(random, 50) ? simulated_run(seed) : simulated_run_with_faults(seed);
      SimulationOptions simulation = run.simulation();
      simulation.cores = std::max(simulation.cores, 2);
      simulation.machine.cores = std::max(simulation.machine.cores, simulation.cores);
      prepare(run, random, simulation.cores);
      simulation.clusters = std::exchange(run.runtime.clusters, "");
      run.program.parts = run.program.devices.cores = true;
      run.runtime.simulation = std::make_shared<const SimulationOptions>(std::move(simulation));
      return run;
    }
  }
}

std::string describe(const RegroupedRun& run) {
  return std::visit([](const auto& one) { return describe(one) + ", regrouped"; }, run);
}

std::vector<std::string> execute(const RegroupedRun& run, std::uint64_t* regroupings) {
  return std::visit([&](const auto& one) { return execute_one(one, regroupings); }, run);
}

}  // namespace troupe::tests
