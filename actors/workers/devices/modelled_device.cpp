#include "actors/workers/devices/modelled_device.hpp"

#include <algorithm>
#include <utility>

#include "graph/codelets/codelet.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/size_classes.hpp"

namespace troupe::workers {

ModelledDevice::ModelledDevice(Options options, DeviceListener& listener)
    : options_(std::move(options)), listener_(listener) {}

ModelledDevice::~ModelledDevice() {
  if (running_) options_.time->cancel(end_);
  for (Ended& ended : ended_) {
    options_.time->cancel(ended.notice);
    listener_.done(*ended.one.task, std::move(ended.cause), ended.one.duration);
  }
  for (const Queued& one : queue_) {
    listener_.done(*one.task, std::make_shared<Failure>(Failure{
                                  ErrorCode::kernel_failed, graph::describe(*one.task) + " was lost with " + name()}));
  }
}

Started ModelledDevice::start(graph::Task& task, std::span<graph::Task* const> /*behind*/) noexcept {
  const Result<Duration> duration = options_.duration(task);
  if (!duration) {
    return {true, std::make_shared<Failure>(Failure{duration.failure().code,
                                                    graph::describe(task) + " failed: " + duration.failure().message})};
  }
  launched_ = std::max(launched_, options_.time->now()) + options_.launch;
  queue_.push_back({&task, duration.value(), options_.cores ? options_.cores() : 1, launched_});
  if (!running_ && !held_) begin();
  return {};
}

void ModelledDevice::take_back(graph::TaskList& not_begun) noexcept {
  if (!std::exchange(held_, false)) return;
  for (const Queued& one : queue_) not_begun.push_back(one.task);
  queue_.clear();
}

void ModelledDevice::begin() {
  const Queued& one = queue_.front();
  const TimeStamp begun = std::max(one.launched, options_.time->now());
  running_ = true;
  end_ = options_.time->at(begun + one.duration, [this, begun] { end(begun); });
}

void ModelledDevice::end(TimeStamp begun) {
  const Queued one = queue_.front();
  queue_.pop_front();
  running_ = false;
  Started executed;
  if (options_.fault) executed.cause = options_.fault(*one.task);
  if (options_.executor && !executed.cause) executed = options_.executor->start(*one.task);
  if (options_.trace != nullptr) note(one, begun, executed.cause != nullptr);
  held_ = held_ || executed.cause != nullptr;
  ended_.push_back({one, std::move(executed.cause), {}});
  if (!queue_.empty() && !held_) begin();
  if (options_.notice > Duration{}) {
    ended_.back().notice = options_.time->after(options_.notice, [this] { tell(); });
  } else {
    tell();
  }
}

void ModelledDevice::tell() {
  Ended ended = std::move(ended_.front());
  ended_.pop_front();
  listener_.done(*ended.one.task, std::move(ended.cause), ended.one.duration);
}

void ModelledDevice::note(const Queued& one, TimeStamp begun, bool failed) noexcept {
  const graph::Task& task = *one.task;
  const double flops = failed ? 0 : graph::flops_of(task);
  options_.trace->ran({task.codelet, task.task_id(), begun, options_.time->now(), flops, task.priority, failed,
                       static_cast<std::uint16_t>(one.cores)},
                      task.extras ? &task.extras->name : nullptr);
}

}  // namespace troupe::workers
