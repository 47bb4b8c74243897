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

/// A command that a task carries out. The event reports errors; the task succeeds nonetheless, because in OpenCL the
/// data of a failed command are undefined but can be read.
class RuntimeCommand : public Command {
 public:
  /// A use of a buffer, or of a part of one, by the command.
  struct Use {
    Ref<Memory> memory;
    AccessMode mode = AccessMode::read;
  };

  RuntimeCommand(Queue& queue, std::shared_ptr<EventState> event);

  void submit(const std::vector<std::shared_ptr<Command>>& awaited) override;

  /// Returns a codelet for commands: it takes any data, and the command as its argument. Such codelets are never
  /// destroyed, as commands may be in flight while static objects are destroyed.
  [[nodiscard]] static Codelet command_codelet(const std::string& name, KindSet kinds);
  /// Returns a codelet for further tasks of a command, with a pointer of the type `Pointer` as its argument.
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
  /// Adds a buffer, before the command is enqueued. One buffer, or its parts, may be added several times.
  void use(Memory& memory, AccessMode mode);
  void use(const HostRange& range) { ranges_.push_back(range); }

  /// Returns the codelet, which determines the command's name in traces and the devices on which it can run.
  [[nodiscard]] virtual const Codelet& codelet() = 0;
  /// Returns a further restriction of the devices on which the command may run.
  [[nodiscard]] virtual DeviceSet devices() const { return {}; }
  /// Gives the command's task, or tasks, to the runtime, each ordered after `after`. Exactly one of them must be
  /// submitted with `submit_task`.
  virtual void submit_tasks(const std::vector<Future>& after) { submit_task(after, uses_, {}); }
  /// Submits the task whose end is the command's end. It accesses `uses` first, in which no buffer is named twice, and
  /// then `more`.
  void submit_task(const std::vector<Future>& after, std::span<const Use> uses, std::vector<Access> more);
  /// Returns the uses of the command's buffers; each buffer is named once.
  [[nodiscard]] const std::vector<Use>& uses() const { return uses_; }

  /// Returns a number that differs between tasks of the codelet that may take different times on the same data.
  [[nodiscard]] virtual std::uint64_t footprint() const { return 0; }
  /// Runs the command, in a worker. Returns CL_COMPLETE, or the error.
  virtual int run(const KernelContext& context) = 0;
  /// Called by a worker when the command has ended, with this status; `started` is `EventState::now` at its beginning.
  /// Returns the time at which the command began.
  virtual std::uint64_t note_end(int /*status*/, std::uint64_t started) { return started; }
  /// Releases the objects that the command keeps for its run. Called by a worker.
  virtual void drop() {}

  /// Returns the begin of a buffer that the command uses, on the device that runs the command.
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
