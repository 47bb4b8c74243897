/// Commands that the runtime runs as tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "client/runtime.hpp"
#include "opencl/commands/command.hpp"
#include "opencl/commands/host_ranges.hpp"
#include "opencl/commands/queue_order.hpp"
#include "opencl/execution/storage.hpp"
#include "opencl/objects/memory.hpp"
#include "opencl/objects/queue.hpp"

namespace troupe::opencl {

/// A task's data and what runs it. Errors are the event's; the task succeeds nonetheless, since what a failed command
/// leaves is undefined in OpenCL but can be read.
class RuntimeCommand : public Command {
 public:
  /// How it uses a buffer, or a part of one.
  struct Use {
    Ref<Memory> memory;
    AccessMode mode = AccessMode::read;
  };

  RuntimeCommand(Queue& queue, std::shared_ptr<EventState> event);

  void submit(const std::vector<std::shared_ptr<Command>>& awaited) override;

  /// A codelet of commands: any data, and the command as its argument. Those of all programs are never destroyed:
  /// commands may be in flight when static objects are.
  [[nodiscard]] static Codelet command_codelet(const std::string& name, KindSet kinds);
  /// The same for what a command submits besides: with a pointer of the type as its argument.
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
  /// Before it is enqueued. Of one buffer there may be several, of parts of it too.
  void use(Memory& memory, AccessMode mode);
  void use(const HostRange& range) { ranges_.push_back(range); }

  /// What it is in traces, and where it can run.
  [[nodiscard]] virtual const Codelet& codelet() = 0;
  /// Where it may run besides.
  [[nodiscard]] virtual DeviceSet devices() const { return {}; }
  /// Gives its task, or its tasks, to the runtime, each after `after`. One of them is of `submit_task`.
  virtual void submit_tasks(const std::vector<Future>& after) { submit_task(after, uses_, {}); }
  /// The task whose end is the command's. It accesses `uses` first, in which no buffer is named twice, and then `more`.
  void submit_task(const std::vector<Future>& after, std::span<const Use> uses, std::vector<Access> more);
  /// How it uses its buffers, each of which is named once.
  [[nodiscard]] const std::vector<Use>& uses() const { return uses_; }

  /// Tells tasks of its codelet apart that may take different times on the same data.
  [[nodiscard]] virtual std::uint64_t footprint() const { return 0; }
  /// Runs it, by a worker. CL_COMPLETE, or what has gone wrong.
  virtual int run(const KernelContext& context) = 0;
  /// All has ended, with this status; `started`: `EventState::now` of the beginning. Returns when the command began. By
  /// a worker.
  virtual std::uint64_t note_end(int /*status*/, std::uint64_t started) { return started; }
  /// Lets go of what the command keeps for its run. By a worker.
  virtual void drop() {}

  /// Where a buffer that it uses begins on the device that runs it.
  [[nodiscard]] std::byte* begin_of(const KernelContext& context, Memory& memory) const;

 private:
  static void run_task(const KernelContext& context);
  void ended(const TaskOutcome& outcome);

  Ref<Queue> queue_;
  std::vector<Use> uses_;
  std::vector<HostRange> ranges_;
  /// In the order of the task's accesses.
  std::vector<Memory*> accessed_;
  Future future_;
  std::uint64_t started_ = 0;
  int status_ = 0;
};

}  // namespace troupe::opencl
