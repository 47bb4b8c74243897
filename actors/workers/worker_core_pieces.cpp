/// Tasks that run in pieces, on several workers: the functions of the worker core.
#include "actors/workers/worker_core.hpp"
#include "troupe/devices.hpp"

namespace troupe::workers {

bool WorkerCore::help(Step& step) {
  // Tasks on the device come first, and stolen tasks may be about to arrive.
  if (running_ > 0 || search_.awaits_answer() || (kind_set(options_.kind) & kOnCores) == 0) return false;
  while (SharedPieces* const shared = crew_.pieces_for(options_.self)) {
    if (step.activate) {
      // The scheduler is about to decide and may choose this worker. So the worker takes no pieces now, and is seen
      // without work.
      step.kind = Step::Kind::rest;
      return true;
    }
    step.pieces = shared->join(options_.kind, options_.self);
    if (step.pieces.empty()) continue;
    step.kind = Step::Kind::help;
    step.shared = shared;
    ++running_;
    // If `step.wake` names a worker, only that worker is woken. Otherwise another helper is woken or, because this
    // worker may have been woken for a task, a worker that can run that task.
    if (!step.wake.valid()) step.wake = crew_.take_idle_for(*shared, options_.self);
    if (!step.wake.valid() && !crew_.idle.empty()) step.wake = sleeper_in_its_place();
    return true;
  }
  return false;
}

void WorkerCore::stopped(const PiecesDone& pieces) {
  if (shares_ != nullptr) shares_->released(options_.self, pieces.of->task());
  WorkerCounters::add(port_.counters.tasks, std::uint64_t{1});
  WorkerCounters::add(port_.counters.pieces, std::uint64_t{pieces.number});
  has_left();
}

void WorkerCore::helped(const PiecesDone& pieces) {
  if (shares_ != nullptr) shares_->charge(shares_->of(pieces.of->task()), pieces.took);
  WorkerCounters::add(port_.counters.pieces, std::uint64_t{pieces.number});
  WorkerCounters::add(port_.counters.stolen_pieces, std::uint64_t{pieces.number});
  has_left();
}

void WorkerCore::has_left() {
  --running_;
  // The worker is free now. The scheduler has to know this even if no task has ended.
  if (ends_count()) activation_due_ = true;
}

}  // namespace troupe::workers
