#include "actors/workers/devices/modelled_device.hpp"

#include <utility>

#include "graph/codelets/codelet.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/size_classes.hpp"

namespace troupe::workers {

ModelledDevice::ModelledDevice(Options options, DeviceListener& listener)
    : options_(std::move(options)), listener_(listener) {}

ModelledDevice::~ModelledDevice() {
  if (running_ == nullptr) return;
  options_.time->cancel(end_);
  listener_.done(*running_, std::make_shared<Failure>(Failure{
                                ErrorCode::kernel_failed, graph::describe(*running_) + " was lost with " + name()}));
}

Started ModelledDevice::start(graph::Task& task) noexcept {
  const Result<Duration> duration = options_.duration(task);
  if (!duration) {
    return {true, std::make_shared<Failure>(Failure{duration.failure().code,
                                                    graph::describe(task) + " failed: " + duration.failure().message})};
  }
  running_ = &task;
  end_ = options_.time->after(duration.value(), [this, begun = options_.time->now()] { end(begun); });
  return {};
}

void ModelledDevice::end(TimeStamp begun) {
  graph::Task& task = *std::exchange(running_, nullptr);
  Started executed;
  if (options_.fault) executed.cause = options_.fault(task);
  if (options_.executor && !executed.cause) executed = options_.executor->start(task);
  if (options_.trace != nullptr) note(task, begun, executed.cause != nullptr);
  listener_.done(task, std::move(executed.cause));
}

void ModelledDevice::note(const graph::Task& task, TimeStamp begun, bool failed) noexcept {
  const double flops = failed ? 0 : graph::flops_of(task);
  options_.trace->ran({task.codelet, task.task_id(), begun, options_.time->now(), flops, task.priority, failed},
                      task.extras ? &task.extras->name : nullptr);
}

}  // namespace troupe::workers
