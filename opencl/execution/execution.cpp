#include "opencl/execution/execution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "client/embedded_backend.hpp"
#include "opencl/commands/worker_scope.hpp"
#include "opencl/execution/storage_pool.hpp"
#include "opencl/execution/trace_output.hpp"
#include "opencl/objects/context.hpp"
#include "opencl/objects/environment.hpp"
#include "opencl/objects/refusal.hpp"
#include "opencl/objects/report.hpp"
#include "opencl/splitting/slice_kernels.hpp"
#include "platform/opencl/opencl_contexts.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

namespace {

using Key = std::pair<std::string, std::vector<RealDevice*>>;

/// The runtimes of the process. The object is never destroyed, because a program's own static objects may use OpenCL
/// until the very end.
struct Executions {
  Mutex mutex;
  std::map<Key, std::shared_ptr<Execution>> all TROUPE_GUARDED_BY(mutex);
  /// The process that has the runtimes' threads; empty until the first runtime is requested.
  std::optional<graph::HomeProcess> home TROUPE_GUARDED_BY(mutex);
  bool stopped TROUPE_GUARDED_BY(mutex) = false;

  static Executions& get() {
    static auto* const executions = new Executions;
    return *executions;
  }
};

void stop_all() {
  Executions& executions = Executions::get();
  std::map<Key, std::shared_ptr<Execution>> all;
  {
    const LockGuard lock(executions.mutex);
    // A child after fork has no threads to stop.
    if (executions.home->left()) return;
    executions.stopped = true;
    all = std::exchange(executions.all, {});
  }
  platform::keep_opencl_contexts();
  // Another thread stops the runtimes: they use thread-local variables, and those of this thread have already been
  // destroyed.
  std::thread([&all] {
    // Contexts may still own an execution, so this loop stops each execution instead of only releasing it.
    for (auto& [key, execution] : all) execution->stop();
  }).join();
  slice_builder().stop();
  cleaner().stop();
  program_callbacks().stop();
}

RuntimeOptions options_for(const std::string& policy, std::span<RealDevice* const> devices,
                           std::optional<Bytes> memory) {
  std::vector<int> indices;
  for (const RealDevice* device : devices) indices.push_back(device->vendor().index);
  RuntimeOptions options;
  // One core is enough, because it only runs commands on host memory. The program's own threads and CPU devices may use
  // all cores.
  options.cores = 1;
  options.threads.bind = false;
  options.accelerators.opencl = fmt::format("{}", fmt::join(indices, ","));
  if (!policy.empty()) {
    options.policy = policy;
  } else if (devices.size() == 1) {
    // With one device there is nothing to decide. The policy lws decides without a scheduler thread that would have to
    // be woken.
    options.policy = "lws";
  }
  options.accelerators.opencl_memory = memory;
  options.accelerators.opencl_copies = wants_copies();
  // The standard leaves it to programs to make sure of the alignment that their kernels need.
  options.accelerators.opencl_alignment = 1;
  options.placement.models = default_model_folder();
  options.trace = !trace_path().empty();
  // A program may enqueue all its commands before it waits for one.
  options.window = std::size_t{1} << 24U;
  return options;
}

}  // namespace

std::shared_ptr<Execution> Execution::with(const std::string& policy, std::span<RealDevice* const> devices) {
  Key key(policy, {devices.begin(), devices.end()});
  std::ranges::sort(key.second, {}, &Device::number);
  Executions& executions = Executions::get();
  const LockGuard lock(executions.mutex);
  const bool first = !executions.home;
  if (first) executions.home.emplace();
  require(!executions.home->left() && !executions.stopped, CL_OUT_OF_RESOURCES);
  std::shared_ptr<Execution>& execution = executions.all[key];
  if (execution == nullptr) {
    try {
      execution = std::make_shared<Execution>(policy, key.second);
    } catch (const Error& error) {
      report_once(error.what(), fmt::format("the runtime cannot be started: {}", error.what()));
      throw Refusal(CL_OUT_OF_RESOURCES);
    }
  }
  // The handler is registered after the first use of drivers and libraries. So it runs before the handlers that the
  // drivers and libraries have registered.
  if (first) (void)std::atexit(stop_all);
  return execution;
}

Execution::Execution(const std::string& policy, std::span<RealDevice* const> devices)
    : devices_(devices.begin(), devices.end()),
      memory_(opencl::memory_limit(devices)),
      pool_(std::make_unique<StoragePool>()),
      // The public constructor of `Runtime` is not used, because it reads the environment variables for a program's own
      // runtime.
      runtime_(std::make_unique<Runtime>(
          client::EmbeddedBackend::start(options_for(policy, devices, memory_)).value_or_throw())) {
  first_worker_ = runtime_->workers() - devices_.size();
}

Execution::~Execution() = default;

DeviceSet Execution::workers_of(std::span<RealDevice* const> devices) const {
  if (devices.size() == devices_.size()) return DeviceKind::opencl;
  DeviceChoice choice;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (std::ranges::find(devices, devices_[i]) == devices.end()) continue;
    choice.workers.emplace_back(static_cast<std::uint32_t>(first_worker_ + i));
  }
  return DeviceSet::of(std::move(choice));
}

void Execution::stop() {
  // Closes the pool first, because its storages need the runtime when they are destroyed.
  pool_->close();
  const LockGuard lock(mutex_);
  if (runtime_ == nullptr) return;
  try {
    runtime_->wait();
  } catch (const Error&) {  // The commands' events have reported the error.
  }
  write_trace_of(*runtime_);
  runtime_.reset();
}

Runtime& Execution::runtime() {
  const LockGuard lock(mutex_);
  require(runtime_ != nullptr && !home_.left(), CL_OUT_OF_RESOURCES);
  return *runtime_;
}

const std::shared_ptr<Execution>& Context::execution() {
  const LockGuard lock(mutex_);
  if (execution_ == nullptr) execution_ = Execution::with(properties_.policy, real_devices_);
  return execution_;
}

}  // namespace troupe::opencl
