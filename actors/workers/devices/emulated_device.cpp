#include "actors/workers/devices/emulated_device.hpp"

#include <memory>
#include <utility>

#include "actors/workers/devices/task_failure.hpp"
#include "platform/machine/binding.hpp"

namespace troupe::workers {

EmulatedDevice::EmulatedDevice(Options options, DeviceListener& listener)
    : accelerator_(*options.accelerator),
      pus_(std::move(options.pus)),
      on_lost_(std::move(options.on_lost)),
      worker_(options.executor.worker),
      listener_(listener),
      core_(std::move(options.executor)),
      thread_([this] { work(); }) {}

EmulatedDevice::~EmulatedDevice() {
  {
    const LockGuard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Started EmulatedDevice::start(graph::Task& task, std::span<graph::Task* const> /*behind*/) noexcept {
  try {
    const LockGuard lock(mutex_);
    started_.push_back(&task);
  } catch (...) {
    return {true, std::make_shared<Failure>(Failure{ErrorCode::out_of_memory, "no memory to start a task"})};
  }
  wake_.notify_one();
  return {};
}

void EmulatedDevice::take_back(graph::TaskList& not_begun) noexcept {
  const LockGuard lock(mutex_);
  held_ = false;
  for (graph::Task* task : started_) not_begun.push_back(task);
  started_.clear();
}

void EmulatedDevice::work() {
  platform::name_this_thread("kernels " + std::to_string(worker_.value()));
  platform::use_one_openmp_thread();
  // If the system refuses to bind the thread, the thread stays on its present processing units.
  if (!pus_.empty()) (void)platform::bind_this_thread(pus_);
  UniqueLock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || (!held_ && !started_.empty()); });
    if (started_.empty()) return;
    graph::Task& task = *started_.front();
    started_.pop_front();
    const bool given_up = stopping_;
    lock.unlock();
    const TimeStamp begin = clock_.now();
    graph::FailureLog::Cause cause =
        given_up ? failure(task, ErrorCode::kernel_failed, "its worker was lost") : run(task);
    const TimeStamp end = clock_.now();
    if (cause != nullptr) {
      // The thread stops taking tasks (`held_`) before the worker is notified of the failure, so that no task begins
      // until `take_back` is called.
      const LockGuard hold(mutex_);
      held_ = true;
    }
    listener_.done(task, std::move(cause), end - begin);
    lock.lock();
  }
}

graph::FailureLog::Cause EmulatedDevice::run(graph::Task& task) {
  if (accelerator_.faults()->lost()) accelerator_.lose();
  if (accelerator_.lost()) {
    if (!std::exchange(said_lost_, true) && on_lost_) on_lost_();
    return failure(task, ErrorCode::device_lost, "the device was lost (injected fault)");
  }
  if (accelerator_.faults()->kernel_fails()) return failure(task, ErrorCode::kernel_failed, "injected fault");
  return core_.start(task).cause;
}

graph::FailureLog::Cause EmulatedDevice::failure(const graph::Task& task, ErrorCode code, const char* what) const {
  return task_failure(task, code, what, worker_, core_.name());
}

}  // namespace troupe::workers
