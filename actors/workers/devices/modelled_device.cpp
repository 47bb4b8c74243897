#include "actors/workers/devices/modelled_device.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "actors/workers/devices/task_failure.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/size_classes.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

namespace {

/// Returns the options of the device that executes kernels. That device knows nothing of virtual time, so the modelled
/// device itself shares pieces and traces tasks.
CoreDevice::Options executor_of(CoreDevice::Options core) {
  core.board = nullptr;
  core.opened = nullptr;
  core.all_taken = nullptr;
  core.trace = nullptr;
  return core;
}

}  // namespace

ModelledDevice::ModelledDevice(Options options, DeviceListener& listener)
    : options_(std::move(options)), listener_(listener), executor_(executor_of(options_.core)) {}

ModelledDevice::~ModelledDevice() {
  if (running_) options_.time->cancel(end_);
  for (Ended& ended : ended_) {
    options_.time->cancel(ended.notice);
    listener_.done(*ended.one.task, std::move(ended.cause), ended.one.duration);
  }
  for (const Queued& one : queue_) {
    const auto lost = std::make_shared<Failure>(
        Failure{ErrorCode::kernel_failed, graph::describe(*one.task) + " was lost with " + name()});
    if (one.pieces.of != nullptr) {
      one.pieces.of->fail(lost);
      leave(one);
    } else {
      listener_.done(*one.task, lost);
    }
  }
}

Result<Duration> ModelledDevice::duration_of(const graph::Task& task) noexcept {
  Result<Duration> duration = options_.duration(task);
  if (duration) return duration;
  return Failure{duration.failure().code, graph::describe(task) + " failed: " + duration.failure().message};
}

Result<ModelledDevice::DevicePieces> ModelledDevice::open(graph::Task& task) noexcept {
  if (task.codelet->pieces == nullptr || options_.core.board == nullptr) return DevicePieces();
  try {
    const graph::ExecutionScope scope(options_.core.graph, options_.core.worker, &task);
    const std::uint32_t all = graph::piece_count_of(task, options_.core.worker);
    const std::uint32_t grain = task.codelet->pieces->grain;
    if (all <= grain) return DevicePieces{.all = all};
    const int cores = options_.cores ? options_.cores() : 1;
    SharedPieces& shared = options_.core.board->open(task, options_.core.worker, cores, all, grain);
    const PieceRange first = shared.take();
    options_.core.opened(shared);
    return DevicePieces{.of = &shared, .all = all, .now = first, .owner = true};
  } catch (...) {
    return *task_failure_of_exception(task, options_.core.worker, options_.core.name);
  }
}

Started ModelledDevice::start(graph::Task& task, std::span<graph::Task* const> /*behind*/) noexcept {
  const Result<Duration> duration = duration_of(task);
  if (!duration) return {true, std::make_shared<Failure>(duration.failure())};
  const Result<DevicePieces> pieces = open(task);
  if (!pieces) return {true, std::make_shared<Failure>(pieces.failure())};
  launched_ = std::max(launched_, options_.time->now()) + options_.launch;
  const Duration takes = pieces.value().all == 0U ? Duration{} : duration.value();
  queue_.push_back({&task, takes, options_.cores ? options_.cores() : 1, launched_, pieces.value()});
  if (!running_ && !held_) begin();
  return {};
}

PiecesDone ModelledDevice::help(SharedPieces& shared, PieceRange first, const std::function<bool()>& leave) noexcept {
  graph::Task& task = shared.task();
  const Result<Duration> duration = duration_of(task);
  if (!duration) {
    shared.fail(std::make_shared<Failure>(duration.failure()));
    return {&shared, first.number, {}, false};
  }
  leaves_ = leave;
  const TimeStamp now = options_.time->now();
  queue_.push_back({&task,
                    duration.value(),
                    options_.cores ? options_.cores() : 1,
                    now,
                    {.of = &shared, .all = shared.pieces(), .now = first}});
  begin();
  return {};
}

void ModelledDevice::take_back(graph::TaskList& not_begun) noexcept {
  if (!std::exchange(held_, false)) return;
  for (const Queued& one : queue_) not_begun.push_back(one.task);
  queue_.clear();
}

Duration ModelledDevice::length(const Queued& one) {
  if (one.pieces.of == nullptr) return one.duration;
  // The result is the difference of two rounded times, so that the sum over all pieces loses nothing by rounding.
  const auto all = static_cast<double>(one.pieces.of->pieces());
  const auto until = [&](std::uint32_t pieces) {
    return Duration(std::llround(static_cast<double>(one.duration.count()) * (pieces / all)));
  };
  return until(one.pieces.done + one.pieces.now.number) - until(one.pieces.done);
}

void ModelledDevice::look_at_last(const Queued& one) {
  const DevicePieces& pieces = one.pieces;
  if (!options_.core.all_taken || !pieces.all) return;
  if (pieces.of == nullptr || pieces.now.first + pieces.now.number == *pieces.all) options_.core.all_taken(*one.task);
}

void ModelledDevice::begin() {
  const Queued& one = queue_.front();
  look_at_last(one);
  const TimeStamp begun = std::max(one.launched, options_.time->now());
  if (one.pieces.done == 0) pieces_begun_ = begun;
  running_ = true;
  end_ = options_.time->at(begun + length(one), [this, begun] { end(begun); });
}

void ModelledDevice::end(TimeStamp begun) {
  if (queue_.front().pieces.of != nullptr) return end_of_pieces(begun);
  const Queued one = queue_.front();
  queue_.pop_front();
  running_ = false;
  graph::FailureLog::Cause cause = options_.fault ? options_.fault(*one.task) : nullptr;
  if (cause == nullptr) cause = execute(one);
  if (options_.core.trace != nullptr) note(one, begun, cause != nullptr);
  held_ = held_ || cause != nullptr;
  ended_.push_back({one, std::move(cause), {}});
  if (!queue_.empty() && !held_) begin();
  if (options_.notice > Duration{}) {
    ended_.back().notice = options_.time->after(options_.notice, [this] { tell(); });
  } else {
    tell();
  }
}

graph::FailureLog::Cause ModelledDevice::execute(const Queued& one) noexcept {
  if (!options_.executes && one.task->own_domain() == nullptr) return nullptr;
  const DevicePieces& pieces = one.pieces;
  // The number of pieces was computed in `open`, and must be computed only once. `executor_.start` would compute it
  // again.
  if (!pieces.all) return executor_.start(*one.task).cause;
  return executor_.run_pieces(*one.task, pieces.of != nullptr ? pieces.now : PieceRange{0, *pieces.all}, *pieces.all);
}

void ModelledDevice::end_of_pieces(TimeStamp begun) {
  Queued& one = queue_.front();
  DevicePieces& pieces = one.pieces;
  SharedPieces& shared = *pieces.of;
  running_ = false;
  if (!shared.failed()) {
    if (const graph::FailureLog::Cause cause = execute(one)) shared.fail(cause);
  }
  const bool leaves = !pieces.owner && leaves_();
  pieces.done += pieces.now.number;
  pieces.took += options_.time->now() - begun;
  pieces.now = leaves ? PieceRange{} : shared.take();
  if (!pieces.now.empty()) return begin();
  if (pieces.owner && options_.core.trace != nullptr) note(one, pieces_begun_, shared.failed());
  const Queued ended = one;
  queue_.pop_front();
  leave(ended);
  if (!queue_.empty() && !held_) begin();
}

void ModelledDevice::leave(const Queued& one) {
  const DevicePieces& pieces = one.pieces;
  if (pieces.owner) options_.core.board->close();
  listener_.pieces_done({pieces.of, pieces.done + pieces.now.number, pieces.took * one.cores, pieces.owner});
}

void ModelledDevice::tell() {
  Ended ended = std::move(ended_.front());
  ended_.pop_front();
  listener_.done(*ended.one.task, std::move(ended.cause), ended.one.duration);
}

void ModelledDevice::note(const Queued& one, TimeStamp begun, bool failed) noexcept {
  const graph::Task& task = *one.task;
  failed = failed || task.told();
  const double flops = failed ? 0 : graph::flops_of(task);
  options_.core.trace->ran({task.codelet, task.task_id(), begun, options_.time->now(), flops, task.priority, failed,
                            static_cast<std::uint16_t>(one.cores)},
                           task);
}

}  // namespace troupe::workers
