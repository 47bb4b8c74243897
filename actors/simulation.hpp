/// The devices, links and memories of a described machine in virtual time.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "actors/kernel_timer.hpp"
#include "actors/memory/memory_command.hpp"
#include "actors/memory/memory_options.hpp"
#include "actors/scheduler/transfer_model.hpp"
#include "actors/simulation_options.hpp"
#include "actors/transfer_report.hpp"
#include "actors/workers/modelled_device.hpp"
#include "graph/data_record.hpp"
#include "platform/host_buffer.hpp"
#include "platform/link_network.hpp"
#include "platform/virtual_time.hpp"

namespace troupe::actors {

/// Single-threaded, like the run around it.
class Simulation {
 public:
  /// `workers`: each worker's device. Throws `Error` (`out_of_memory`) where real buffers find no memory.
  Simulation(SimulationOptions options, std::vector<DescribedDevice> workers,
             std::shared_ptr<scheduler::SubmittedTasks> submitted);

  [[nodiscard]] const SimulationOptions& options() const { return options_; }
  [[nodiscard]] platform::VirtualTime& time() { return time_; }
  /// The copies beside the kernels.
  [[nodiscard]] memory::MemoryOptions memory_options() const;
  /// What the scheduler believes of the links, and of kernels.
  [[nodiscard]] scheduler::TransferModel believed_links() const;
  [[nodiscard]] std::unique_ptr<scheduler::ExecutionModel> believed_times();

  /// `find_replica` is used with real buffers only.
  [[nodiscard]] std::unique_ptr<workers::Device> make_device(WorkerId worker, const std::string& name,
                                                             workers::CoreDevice::Options executor,
                                                             workers::DeviceListener& listener);

  /// Begins a copy; `done` is called at its end, after the bytes have moved.
  void copy(const memory::Command& transfer, std::function<void()> done);
  void hurry(memory::TransferId transfer);

  /// With real buffers: where data lie on the host, before anything is copied.
  void know(const graph::DataRecord& data) { records_[data.handle_id()] = &data; }
  void forget(HandleId handle) { records_.erase(handle); }
  /// With real buffers: a replica in a GPU's memory.
  [[nodiscard]] DataView replica(const graph::DataRecord& data, NodeId node, std::uint64_t offset) const;

  [[nodiscard]] TransferReport transfers() const;
  /// Copies that have ended since the last call; kept where the run traces.
  [[nodiscard]] std::vector<TraceTransfer> take_copies() { return std::exchange(copies_, {}); }
  void record_copies() { records_copies_ = true; }

 private:
  struct Copy {
    memory::Command transfer;
    std::function<void()> done;
    platform::CopyId id;
    TimeStamp asked{};
  };

  Result<Duration> duration(const graph::Task& task, WorkerId worker);
  void end(memory::TransferId transfer);
  void move_bytes(const memory::Command& transfer);

  const SimulationOptions options_;
  const std::vector<DescribedDevice> workers_;
  platform::VirtualTime time_;
  KernelTimer timer_;
  platform::LinkNetwork network_;
  /// With real buffers: by node, the memory of GPUs.
  std::vector<std::unique_ptr<platform::HostBuffer>> arenas_;
  /// Looked up only.
  std::unordered_map<HandleId, const graph::DataRecord*> records_;
  std::unordered_map<memory::TransferId, Copy> under_way_;
  bool records_copies_ = false;
  std::vector<TraceTransfer> copies_;
};

}  // namespace troupe::actors
