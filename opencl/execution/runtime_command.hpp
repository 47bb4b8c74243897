/// Commands that the runtime runs as tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "opencl/commands/command.hpp"
#include "opencl/commands/host_ranges.hpp"
#include "opencl/commands/queue_order.hpp"
#include "opencl/execution/storage.hpp"
#include "opencl/objects/memory.hpp"
#include "opencl/objects/queue.hpp"
#include "troupe/devices.hpp"
#include "troupe/runtime.hpp"

namespace troupe::opencl {

/// A command that runs as a task. The event reports errors; the task still succeeds, because in OpenCL the data of a
/// failed command are undefined but can be read.
class RuntimeCommand : public Command {
 public:
  /// A use of a buffer, or of a part of one, by the command.
  struct Use {
    Ref<Memory> memory;
    AccessMode mode = AccessMode::read;
  };

  RuntimeCommand(Queue& queue, std::shared_ptr<EventState> event);

  void submit(const std::vector<std::shared_ptr<Command>>& awaited) override;

  /// Returns a codelet for commands. The codelet accepts any data, and takes the command as its argument. Static
  /// codelets must never be destroyed, because commands may be in flight while static objects are destroyed.
  [[nodiscard]] static Codelet command_codelet(const std::string& name, KindSet kinds);
  /// Returns a codelet for further tasks of a command. The codelet's argument is a pointer of type `Pointer`.
  template <class Pointer>
  [[nodiscard]] static Codelet codelet_with(const std::string& name, KindSet kinds,
                                            void (*run)(const KernelContext& context)) {
    Codelet codelet = Codelet::variadic(name).takes({ArgumentType::of<Pointer>()});
    for (const DeviceTraits& row : kDeviceTraits) {
      if ((kinds & kind_set(row.kind)) != 0) codelet.implement(row.kind, run);
    }
    return codelet;
  }

 protected:
  [[nodiscard]] Queue& queue() const { return *queue_; }
  /// Adds a buffer; must be called before the command is enqueued. A buffer, or its parts, may be added several times.
  void use(Memory& memory, AccessMode mode);
  void use(const HostRange& range) { ranges_.push_back(range); }

  /// Returns the codelet, which determines the command's name in traces and the devices on which it can run.
  [[nodiscard]] virtual const Codelet& codelet() = 0;
  /// Returns the devices on which the command may run, as a restriction in addition to that of the codelet.
  [[nodiscard]] virtual DeviceSet devices() const { return {}; }
  /// Submits the command's task, or tasks, to the runtime, each ordered after `after`. Exactly one of these tasks must
  /// be submitted with `submit_task`.
  virtual void submit_tasks(const std::vector<Future>& after) { submit_task(after, uses_, {}); }
  /// Submits the task whose end is the command's end. The task accesses `uses`, each buffer once, and then `more`.
  void submit_task(const std::vector<Future>& after, std::span<const Use> uses, std::vector<Access> more);
  /// Returns the uses of the command's buffers. Each buffer occurs once.
  [[nodiscard]] const std::vector<Use>& uses() const { return uses_; }

  /// Returns a hash for the prediction of times. Tasks of one codelet that may take different times on the same data
  /// have different hashes.
  [[nodiscard]] virtual std::uint64_t footprint() const { return 0; }
  /// Runs the command, in a worker. Returns CL_COMPLETE, or the error.
  virtual int run(const KernelContext& context) = 0;
  /// Called by a worker when the command has ended with this status. `started` is the time (`EventState::now`) at which
  /// the task began. Returns the time at which the command began, which the event reports.
  virtual std::uint64_t note_end(int /*status*/, std::uint64_t started) { return started; }
  /// Releases the objects that the command needs only while it runs. Called by a worker.
  virtual void drop() {}

  /// Returns the address of a buffer that the command uses, in the memory of the device that runs the command.
  [[nodiscard]] std::byte* begin_of(const KernelContext& context, Memory& memory) const;

 private:
  static void run_task(const KernelContext& context);
  void ended(const TaskOutcome& outcome);

  Ref<Queue> queue_;
  std::vector<Use> uses_;
  std::vector<HostRange> ranges_;
  /// The buffers in the order of the task's accesses.
  std::vector<Memory*> accessed_;
  Future future_;
  std::uint64_t started_ = 0;
  int status_ = 0;
};

}  // namespace troupe::opencl
