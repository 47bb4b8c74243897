/// Launches that run in parts, on several devices at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opencl/execution/runtime_command.hpp"
#include "opencl/execution/split_planner.hpp"
#include "opencl/execution/storage_pool.hpp"
#include "opencl/programs/kernel.hpp"
#include "opencl/splitting/splittable_kernel.hpp"

namespace troupe {
class OpenClLaunch;
}

namespace troupe::opencl {

/// One launch. Each part is a task on one device, which reads what the kernel reads and writes its range of each buffer
/// that the kernel writes as a piece of data of its own. The command's own task then copies these together in host
/// memory.
class SplitLaunch {
 public:
  /// What is launched, by a command that owns the `SplitLaunch` and keeps these until its end.
  struct Launch {
    RuntimeCommand* command = nullptr;
    Kernel* kernel = nullptr;
    std::shared_ptr<const KernelArguments> arguments;
    NdRange range;
    std::shared_ptr<Execution> execution;
  };

  /// Null: it cannot be split, or does not pay. `devices`: on which it can run. Called in the order of submission.
  [[nodiscard]] static std::unique_ptr<SplitLaunch> plan(const Launch& launch, SplittableKernel& kernel,
                                                         std::span<RealDevice* const> devices);

  /// Refuses with CL_MEM_OBJECT_ALLOCATION_FAILURE.
  SplitLaunch(const Launch& launch, SplitPlan plan);
  SplitLaunch(const SplitLaunch&) = delete;
  SplitLaunch& operator=(const SplitLaunch&) = delete;

  /// Gives the parts to the runtime.
  void submit(const std::vector<Future>& after);
  /// The buffers that are written, as the task that merges uses them.
  [[nodiscard]] std::vector<RuntimeCommand::Use> merged() const;
  /// What that task accesses behind these.
  [[nodiscard]] std::vector<Access> pieces() const;
  /// Copies the pieces into the buffers. CL_COMPLETE, or how a part has failed.
  [[nodiscard]] int merge(const KernelContext& context) const;

  /// When the first part began (`EventState::now`); 0: none has.
  [[nodiscard]] std::uint64_t started() const;
  /// Notes what was seen of the kernel's speeds, when all has ended well.
  void learn(SplittableKernel& kernel) const;

  /// Of the kernel's parts.
  [[nodiscard]] static Codelet part_codelet(const std::string& name);

 private:
  struct Part {
    SplitLaunch* whole = nullptr;
    SplitPlan::Part planned;
    /// By output.
    std::vector<std::shared_ptr<Storage>> pieces;
    /// In the order of the task's accesses; then come the pieces.
    std::vector<Memory*> read;
    std::atomic<int> status{0};
    std::atomic<std::uint64_t> started{0};
    std::atomic<std::uint64_t> ended{0};
  };

  static void run_task(const KernelContext& context);
  [[nodiscard]] int run(const Part& part, const KernelContext& context) const;
  /// Into the pieces, what lay there and may not be written by the part.
  [[nodiscard]] int copy_content(const Part& part, OpenClLaunch& launch, const KernelContext& context) const;
  void submit(Part& part, const std::vector<Future>& after);
  [[nodiscard]] static const std::byte* begin_of_whole(const Part& part, const KernelContext& context, Memory& memory);
  /// Its place in `outputs_`; nothing where the kernel does not write through the argument.
  [[nodiscard]] std::optional<std::size_t> output_of(std::size_t argument) const;

  const Launch launch_;
  const std::vector<SplitPlan::Output> outputs_;
  const bool trial_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace troupe::opencl
