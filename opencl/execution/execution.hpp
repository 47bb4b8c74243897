/// The runtime that runs commands.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/tasks/home_process.hpp"
#include "opencl/objects/device.hpp"
#include "opencl/splitting/parallel_width.hpp"
#include "proto/mutex.hpp"
#include "troupe/runtime.hpp"
#include "troupe/units.hpp"

namespace troupe::opencl {

class StoragePool;

/// A runtime that all contexts with the same devices and the same policy share. It starts with the first command, and
/// stops when the program ends.
class Execution {
 public:
  /// Returns the execution for a policy and devices. An empty `policy` stands for the default. Refuses with
  /// CL_OUT_OF_RESOURCES if no runtime can be started, after a line with the reason on standard error. Also refuses in
  /// a child after `fork`, which has none of the runtime's threads.
  [[nodiscard]] static std::shared_ptr<Execution> with(const std::string& policy, std::span<RealDevice* const> devices);

  Execution(const std::string& policy, std::span<RealDevice* const> devices);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution();

  /// Returns the runtime. Refuses with CL_OUT_OF_RESOURCES after `stop`, and in a child after `fork`.
  [[nodiscard]] Runtime& runtime();
  /// Waits for all submitted commands, then stops the runtime. Commands that are held back by user events never run.
  void stop();
  /// Returns the set of the runtime's workers that drive these devices.
  [[nodiscard]] DeviceSet workers_of(std::span<RealDevice* const> devices) const;
  /// Returns the user's limit for the memory that data take on each device; nothing if the user has set no limit.
  [[nodiscard]] std::optional<Bytes> memory_limit() const { return memory_; }
  /// Returns the object that counts the launches that could run at the same time.
  [[nodiscard]] ParallelWidth& width() { return width_; }
  /// Returns the pool of storages that commands need temporarily.
  [[nodiscard]] StoragePool& pool() { return *pool_; }

 private:
  /// The devices in the order of their workers.
  std::vector<RealDevice*> devices_;
  std::size_t first_worker_ = 0;
  /// The process that has the runtime's threads.
  const graph::HomeProcess home_;
  const std::optional<Bytes> memory_;
  ParallelWidth width_;
  const std::unique_ptr<StoragePool> pool_;
  Mutex mutex_;
  std::unique_ptr<Runtime> runtime_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
