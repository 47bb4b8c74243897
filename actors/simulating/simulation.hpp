/// Simulation: the devices, links and memories of a described machine in virtual time.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "actors/device_setup.hpp"
#include "actors/host_views.hpp"
#include "actors/memory_nodes.hpp"
#include "actors/simulating/kernel_timer.hpp"
#include "actors/simulating/stand_ins.hpp"
#include "actors/workers/devices/modelled_device.hpp"
#include "graph/tasks/failure_log.hpp"
#include "platform/accelerators/fault_plan.hpp"
#include "platform/memory/host_buffer.hpp"
#include "platform/virtual/link_network.hpp"
#include "platform/virtual/virtual_time.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

/// The simulated machine. Only one thread may use it, because a run in virtual time has only one thread.
class Simulation final : public MemoryNodes {
 public:
  /// `workers` holds the device of each worker. `views` is used only with real buffers, and outlives this object.
  /// Throws `Error` (`out_of_memory`) if there is no memory for real buffers.
  Simulation(SimulationOptions options, std::vector<DescribedDevice> workers,
             std::shared_ptr<scheduler::SubmittedTasks> submitted, HostViews& views);

  [[nodiscard]] const SimulationOptions& options() const { return options_; }
  [[nodiscard]] platform::VirtualTime& time() { return time_; }
  [[nodiscard]] const platform::Clock& clock() const { return time_.clock(); }
  [[nodiscard]] memory::MemoryOptions memory_options() const override;
  [[nodiscard]] scheduler::TransferModel believed_links() const override;
  /// Returns the codelets that run in place of the codelets of tasks.
  [[nodiscard]] StandIns& stand_ins() { return stand_ins_; }
  /// Returns the kernel times that the scheduler assumes.
  [[nodiscard]] std::unique_ptr<scheduler::ExecutionModel> believed_times();
  [[nodiscard]] bool holds_data() const override { return options_.real_buffers; }

  /// Sets the number of cores that a worker drives. The number holds for tasks that the worker starts from now on.
  void set_cores(WorkerId worker, int cores) {
    workers_[worker.index()].type.cores = cores;
    timer_.set_cores(worker, cores);
  }

  /// Return the launch and the notice time of a worker's device (see `DescribedGpu`); zero for a core.
  [[nodiscard]] Duration launch_of(WorkerId worker) const;
  [[nodiscard]] Duration notice_of(WorkerId worker) const;

  /// Makes a worker's device. A simulation calls this function in place of `DeviceFactory::make`. Kernels run only with
  /// real buffers.
  [[nodiscard]] std::unique_ptr<workers::Device> make_device(DeviceSetup setup, workers::DeviceListener& listener);

  void copy(const memory::Command& transfer, platform::CopyDone done) override;
  void hurry(memory::TransferId transfer) override;
  [[nodiscard]] DataView replica(const DataView& host, NodeId node, std::uint64_t offset) const override;
  [[nodiscard]] std::string name(NodeId node) const override;
  [[nodiscard]] TransferReport transfers() const override;
  /// Returns the copies that have ended since the last call; none unless `record_copies` was called.
  [[nodiscard]] std::vector<TraceTransfer> take_copies() { return std::exchange(copies_, {}); }
  void record_copies() { records_copies_ = true; }

  [[nodiscard]] bool allocates(NodeId node) override { return !faults_[node.index()]->allocation_fails(); }
  /// Sets the function that is called once for each lost GPU: at the end of the kernel that finds the GPU lost, before
  /// the kernel's task fails.
  void on_lost(std::function<void(NodeId)> act) { on_lost_ = std::move(act); }

 private:
  struct Copy {
    memory::Command transfer;
    platform::CopyDone done;
    platform::CopyId id;
    TimeStamp asked{};
  };

  /// Returns the reason why the kernel that ends now fails; null if it succeeds.
  graph::FailureLog::Cause fault(const graph::Task& task, WorkerId worker, NodeId node);
  /// Returns a failure if the copy that ends now has to fail.
  Result<void> fault(const memory::Command& transfer);
  [[nodiscard]] Result<void> lost(NodeId node) const;
  Result<Duration> duration(const graph::Task& task, WorkerId worker);
  /// Begins the copy from `from` to the transfer's target. `from` is the transfer's source or, for the second half of a
  /// staged copy, the host.
  void copy_on(Copy& copy, NodeId from);
  void end(memory::TransferId transfer);
  void move_bytes(const memory::Command& transfer);

  const SimulationOptions options_;
  std::vector<DescribedDevice> workers_;
  platform::VirtualTime time_;
  StandIns stand_ins_;
  KernelTimer timer_;
  platform::LinkNetwork network_;
  /// The memory of each GPU, by node; empty without real buffers.
  std::vector<std::unique_ptr<platform::HostBuffer>> arenas_;
  HostViews& views_;
  /// The fault plan of each node; the host's plan has no faults.
  std::vector<std::unique_ptr<platform::FaultPlan>> faults_;
  std::vector<bool> lost_;
  std::function<void(NodeId)> on_lost_;
  /// The copies under way. The map is never iterated over.
  std::unordered_map<memory::TransferId, Copy> under_way_;
  bool records_copies_ = false;
  std::vector<TraceTransfer> copies_;
};

}  // namespace troupe::actors
