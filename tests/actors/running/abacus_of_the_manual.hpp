/// The kind of device that docs/extending.md shows. The manual quotes this file word for word.
#pragma once

#include <array>
#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/running/device_factory.hpp"
#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/task_failure.hpp"
#include "platform/accelerators/copy_thread.hpp"
#include "platform/machine/clock.hpp"
#include "platform/memory/host_buffer.hpp"

namespace troupe {

/// The kind of an abacus. A new kind has a name of its own; the example, which adds none, borrows this one.
inline constexpr DeviceKind kAbacus = DeviceKind::opencl;

inline constexpr std::array kAbacusTraits{
    DeviceTraits{.kind = kAbacus,
                 .name = "abacus",
                 .own_memory = true,
                 .polled = true,
                 .queue = {.slots = 2},
                 .stands_in_for = kAbacus},
};

}  // namespace troupe

namespace troupe::platform {

/// The memory of an abacus: a block of host memory, with a thread for the copies in each direction.
class AbacusMemory final : public Accelerator {
 public:
  AbacusMemory(int number, HostBuffer beads)
      : name_("abacus " + std::to_string(number)), beads_(std::move(beads)), first_(beads_.data()) {}

  void stop() override {
    inside_.stop();
    to_device_.stop();
    to_host_.stop();
  }
  [[nodiscard]] bool lost() const override { return false; }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string model() const override { return "abacus"; }
  [[nodiscard]] std::byte* memory() const override { return first_; }
  [[nodiscard]] Bytes capacity() const override { return beads_.size(); }

  void copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override {
    (direction == CopyDirection::to_device ? to_device_ : to_host_).add(copy, number, urgent, std::move(done));
  }
  void hurry(CopyNumber number) override {
    inside_.hurry(number);
    to_device_.hurry(number);
    to_host_.hurry(number);
  }
  void copy_inside(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override {
    inside_.add(copy, number, urgent, std::move(done));
  }
  /// Is never called, because `reaches` returns false for every source.
  void copy_from(Accelerator&, const BlockCopy&, CopyNumber, bool, CopyDone) override {
    assert(false && "copies between abaci pass through host memory");
  }
  [[nodiscard]] CopySpeed speed(CopyDirection) const override { return {std::chrono::microseconds(5), 5e9}; }
  [[nodiscard]] CopyTraffic traffic(CopyDirection direction) const override {
    return (direction == CopyDirection::to_device ? to_device_ : to_host_).traffic();
  }

 private:
  static Result<void> move_all(const BlockCopy& copy) {
    move_bytes(copy, 0, copy.bytes().count);
    return {};
  }

  const std::string name_;
  HostBuffer beads_;
  std::byte* const first_;
  // The threads are the last members, because they use the memory.
  CopyThread to_device_{{"abacus copies", "copy to " + name_, move_all}};
  CopyThread to_host_{{"abacus copies", "copy from " + name_, move_all}};
  CopyThread inside_{{"abacus copies", "copy inside " + name_, move_all}};
};

}  // namespace troupe::platform

namespace troupe::workers {

/// An abacus. Its kernels run one after the other in the worker's thread, each inside a call of `poll`.
class AbacusDevice final : public Device {
 public:
  AbacusDevice(CoreDevice::Options executor, DeviceListener& listener)
      : worker_(executor.worker), listener_(listener), core_(std::move(executor)) {}
  AbacusDevice(const AbacusDevice&) = delete;
  AbacusDevice& operator=(const AbacusDevice&) = delete;
  ~AbacusDevice() override {
    while (!started_.empty()) {
      const graph::Task& task = *started_.front();
      end(task_failure(task, ErrorCode::kernel_failed, "its worker was lost", worker_, name()), Duration(-1));
    }
  }

  [[nodiscard]] std::string name() const override { return core_.name(); }
  using Device::start;
  Started start(graph::Task& task, std::span<graph::Task* const> /*behind*/) noexcept override {
    started_.push_back(&task);
    return {};
  }
  void poll() noexcept override {
    if (held_ || started_.empty()) return;
    const TimeStamp begin = clock_.now();
    graph::FailureLog::Cause cause = core_.start(*started_.front()).cause;
    held_ = cause != nullptr;
    end(std::move(cause), clock_.now() - begin);
  }
  void take_back(graph::TaskList& not_begun) noexcept override {
    held_ = false;
    not_begun.append(started_);
  }

 private:
  /// Reports the end of the oldest task.
  void end(graph::FailureLog::Cause cause, Duration took) {
    graph::Task* task = started_.pop_front();
    listener_.done(*task, std::move(cause), took);
  }

  const WorkerId worker_;
  const platform::SteadyClock clock_;
  DeviceListener& listener_;
  CoreDevice core_;
  /// The tasks that were started and have not ended, oldest first.
  graph::TaskList started_;
  /// True if a task has failed, and `take_back` has not been called.
  bool held_ = false;
};

}  // namespace troupe::workers

namespace troupe::actors {

/// Returns the number of abaci. A new kind has an option for it; the example, which adds none, borrows this one.
inline int abaci_asked_for(const RuntimeOptions& options) { return options.gpus; }

inline Result<std::vector<OpenedDevice>> open_abaci(const RuntimeOptions& options) {
  std::vector<OpenedDevice> opened;
  for (int i = 0; i < abaci_asked_for(options); ++i) {
    auto beads = platform::HostBuffer::allocate({std::uint64_t{1} << 20U});
    if (!beads) return beads.failure();
    opened.push_back(
        {.kind = kAbacus, .memory = std::make_unique<platform::AbacusMemory>(i, std::move(beads).value())});
  }
  return opened;
}

inline Result<std::unique_ptr<workers::Device>> make_abacus(DeviceSetup setup, workers::DeviceListener& listener) {
  return std::unique_ptr<workers::Device>(std::make_unique<workers::AbacusDevice>(std::move(setup.executor), listener));
}

inline constexpr std::array kAbacusFactories{
    DeviceFactory{kAbacus, abaci_asked_for, open_abaci, make_abacus},
};

}  // namespace troupe::actors
