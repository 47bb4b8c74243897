/// Kernel launches that are split into slices, which run on several devices at the same time.
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

/// One launch in slices. Each slice is a task on one device. It reads the data that the kernel reads. For each buffer
/// that the kernel writes, the slice writes its range into a separate piece of data. The command's own task then copies
/// the pieces into the buffers in host memory.
class SplitLaunch {
 public:
  /// The launch to split. A command owns the `SplitLaunch` and keeps the objects in this structure until its end.
  struct Launch {
    RuntimeCommand* command = nullptr;
    Kernel* kernel = nullptr;
    std::shared_ptr<const KernelArguments> arguments;
    NdRange range;
    std::shared_ptr<Execution> execution;
  };

  /// Returns null if the launch cannot be split, or if splitting does not pay. `devices` are the devices on which the
  /// launch can run. Called in the order of submission.
  [[nodiscard]] static std::unique_ptr<SplitLaunch> plan(const Launch& launch, SplittableKernel& kernel,
                                                         std::span<RealDevice* const> devices);

  /// Allocates the pieces of the plan. Refuses with CL_MEM_OBJECT_ALLOCATION_FAILURE.
  SplitLaunch(const Launch& launch, SplitPlan plan);
  SplitLaunch(const SplitLaunch&) = delete;
  SplitLaunch& operator=(const SplitLaunch&) = delete;

  /// Submits the tasks of the slices to the runtime.
  void submit(const std::vector<Future>& after);
  /// Returns the written buffers, as uses of the task that merges the pieces.
  [[nodiscard]] std::vector<RuntimeCommand::Use> merged() const;
  /// Returns the pieces, which the merging task accesses after the buffers.
  [[nodiscard]] std::vector<Access> pieces() const;
  /// Copies the pieces into the buffers. Returns CL_COMPLETE, or the failure of a slice.
  [[nodiscard]] int merge(const KernelContext& context) const;

  /// Returns the time (`EventState::now`) at which the first slice began; 0 if no slice has begun.
  [[nodiscard]] std::uint64_t started() const;
  /// Records the measured speeds of the kernel. Called when all slices have ended without failure.
  void learn(SplittableKernel& kernel) const;

  /// Returns a codelet for the kernel's slices.
  [[nodiscard]] static Codelet slice_codelet(const std::string& name);

 private:
  struct Slice {
    SplitLaunch* whole = nullptr;
    SplitPlan::Slice planned;
    /// The pieces, one for each output.
    std::vector<std::shared_ptr<Storage>> pieces;
    /// The buffers that the slice reads, in the order of the task's accesses. In that order, the pieces follow after
    /// them.
    std::vector<Memory*> read;
    std::atomic<int> status{0};
    std::atomic<std::uint64_t> started{0};
    std::atomic<std::uint64_t> ended{0};
  };

  static void run_task(const KernelContext& context);
  [[nodiscard]] int run(const Slice& slice, const KernelContext& context) const;
  /// Copies the old content into the pieces for bytes that the slice reads or may leave unwritten.
  [[nodiscard]] int copy_content(const Slice& slice, OpenClLaunch& launch, const KernelContext& context) const;
  void submit(Slice& slice, const std::vector<Future>& after);
  [[nodiscard]] static const std::byte* begin_of_whole(const Slice& slice, const KernelContext& context,
                                                       Memory& memory);
  /// Returns the index of an argument in `outputs_`; nothing if the kernel does not write through this argument.
  [[nodiscard]] std::optional<std::size_t> output_of(std::size_t argument) const;

  const Launch launch_;
  const std::vector<SplitPlan::Output> outputs_;
  const bool trial_;
  std::vector<std::unique_ptr<Slice>> slices_;
};

}  // namespace troupe::opencl
