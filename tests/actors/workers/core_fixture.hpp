/// Lets a test take the place of the actor around a worker's core.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "actors/workers/worker_core.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"

namespace troupe::tests {

using workers::Crew;
using workers::Step;
using workers::TaskDeque;
using workers::WorkerCore;
using Lines = std::vector<std::string>;

inline constexpr WorkerId kFirst{0};
inline constexpr WorkerId kSecond{1};

/// The core of worker 0. Each of the other workers only has a deque. Tests name the tasks.
struct CoreFixture {
  explicit CoreFixture(StealPlan plan = one_ring(4), WorkerCore::Options options = {.self = kFirst, .seed = 7})
      : crew(tasks.graph, 4, std::move(plan)), core(crew, options) {}

  graph::Task* task(const std::string& name, int priority = 0) { return tasks.task(priority, name); }
  TaskDeque& deque(WorkerId worker) { return crew.ports[worker.index()].deque; }
  /// Returns the steps that the core takes until there is nothing more to do, in words. The tasks that it starts go on
  /// running, and its steal requests get no answers.
  Lines steps() {
    Lines lines;
    while (true) {
      const Step step = core.next();
      if (step.activate) lines.push_back("activate");
      if (step.wake.valid()) lines.push_back("wake " + std::to_string(step.wake.value()));
      switch (step.kind) {
        case Step::Kind::wait: return lines;
        case Step::Kind::start:
          started.push_back(step.task);
          lines.push_back("start " + step.task->extras->name);
          for (const graph::Task* one : step.behind) lines.back() += " behind " + one->extras->name;
          break;
        case Step::Kind::acquire:
          asked_for.push_back(step.task);
          lines.push_back("acquire " + step.task->extras->name);
          break;
        case Step::Kind::steal: lines.push_back("steal from " + std::to_string(step.victim.value())); break;
        case Step::Kind::help:
          lines.push_back("help worker " + std::to_string(step.shared->owner().value()) + " from piece " +
                          std::to_string(step.pieces.first));
          return lines;
        case Step::Kind::send_on: lines.push_back("send on " + step.task->extras->name); break;
        case Step::Kind::stand_by: lines.push_back("stand by"); return lines;
        case Step::Kind::rest: lines.push_back("rest"); return lines;
      }
    }
  }

  GraphFixture tasks{4};
  Crew crew;
  WorkerCore core;
  std::vector<graph::Task*> started;
  /// The tasks for whose data the core has sent a request.
  std::vector<graph::Task*> asked_for;
};

}  // namespace troupe::tests
