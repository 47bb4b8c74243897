/// An emulated accelerator's processor: a thread that runs kernels on the accelerator's memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/accelerators/emulated_accelerator.hpp"
#include "platform/machine/clock.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/mutex.hpp"
#include "troupe/devices.hpp"

namespace troupe::workers {

/// Kernels run one after the other, in the order of their starts, through a `CoreDevice`. One stream of a real
/// accelerator would run kernels in the same way, so a task that is issued behind other tasks is enqueued like any
/// task. BLAS libraries are single-threaded here as on cores, because the setting holds for the whole process.
///
/// The time that is reported to the listener is the kernel's own running time. The kernel's wait for earlier kernels
/// does not count.
class EmulatedDevice final : public Device {
 public:
  struct Options {
    /// The options of the device that runs the kernels. `find_replica` is called in the kernel thread.
    CoreDevice::Options executor;
    /// The accelerator. Faults that are injected into the accelerator make tasks on this device fail. Outlives the
    /// device.
    platform::EmulatedAccelerator* accelerator = nullptr;
    /// The processing units that the kernel thread may run on; if empty, the kernel thread uses the processing units of
    /// the thread that makes the device.
    platform::CpuSet pus = {};
    /// Called once in the kernel thread when the accelerator is lost, before the first task fails because of the loss.
    /// May be null.
    std::function<void()> on_lost = nullptr;
  };

  /// `listener` outlives the device; it is called in the kernel thread.
  EmulatedDevice(Options options, DeviceListener& listener);
  ~EmulatedDevice() override;
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;

  [[nodiscard]] std::string name() const override { return core_.name(); }
  using Device::start;
  Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept override;
  void take_back(graph::TaskList& not_begun) noexcept override;

 private:
  void work();
  graph::FailureLog::Cause run(graph::Task& task);
  [[nodiscard]] graph::FailureLog::Cause failure(const graph::Task& task, ErrorCode code, const char* what) const;

  platform::EmulatedAccelerator& accelerator_;
  const platform::CpuSet pus_;
  const std::function<void()> on_lost_;
  const WorkerId worker_;
  const platform::SteadyClock clock_;
  DeviceListener& listener_;

  // The next two members are used only by the kernel thread.
  CoreDevice core_;
  bool said_lost_ = false;

  Mutex mutex_;
  std::condition_variable wake_;
  std::deque<graph::Task*> started_ TROUPE_GUARDED_BY(mutex_);
  /// True if a task has failed, and `take_back` has not been called since.
  bool held_ TROUPE_GUARDED_BY(mutex_) = false;
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;

  /// The thread is the last member, because it uses the other members.
  std::thread thread_;
};

}  // namespace troupe::workers
