#include "opencl/execution/kernel_command.hpp"

#include <CL/cl.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "opencl/execution/kernel_launch.hpp"
#include "opencl/execution/split_launch.hpp"
#include "troupe/opencl.hpp"

namespace troupe::opencl {

namespace {

/// Returns the access mode of a kernel for a buffer, as far as the buffer's flags and the kernel's code show it. The
/// mode is `read_write` even if the kernel only writes the buffer, because the kernel may leave some of it unwritten.
AccessMode mode_of(const Kernel& kernel, std::size_t index, const Memory& memory) {
  return !memory.device_writes() || kernel.only_reads(index) ? AccessMode::read : AccessMode::read_write;
}

/// Returns the codelet that copies the results of the slices of a split launch together.
const Codelet& merging() {
  static const Codelet& codelet =
      *new Codelet(RuntimeCommand::command_codelet("merge parts", kind_set(DeviceKind::cpu_core)));
  return codelet;
}

class KernelCommand final : public RuntimeCommand {
 public:
  KernelCommand(Queue& queue, std::shared_ptr<EventState> event, Kernel& kernel,
                std::shared_ptr<const KernelArguments> arguments, const NdRange& range,
                std::span<RealDevice* const> devices)
      : RuntimeCommand(queue, std::move(event)),
        kernel_(&kernel),
        arguments_(std::move(arguments)),
        range_(range),
        devices_(devices.begin(), devices.end()) {
    for (std::size_t i = 0; i < arguments_->list.size(); ++i) {
      const KernelArgument& argument = arguments_->list[i];
      if (argument.memory) use(*argument.memory, mode_of(kernel, i, *argument.memory));
    }
  }

 private:
  [[nodiscard]] const Codelet& codelet() override { return split_ ? merging() : kernel_->codelet(); }
  [[nodiscard]] DeviceSet devices() const override {
    return split_ ? DeviceSet() : queue().context().execution()->workers_of(devices_);
  }

  [[nodiscard]] std::uint64_t footprint() const override {
    return split_ ? 0 : arguments_->footprint ^ range_.footprint();
  }

  void submit_tasks(const std::vector<Future>& after) override {
    if (devices_.size() > 1) splittable_ = kernel_->splittable();
    if (splittable_ != nullptr && find_place()) {
      split_ = SplitLaunch::plan({this, kernel_.get(), arguments_, range_, queue().context().execution()}, *splittable_,
                                 devices_);
    }
    try {
      if (split_ == nullptr) return RuntimeCommand::submit_tasks(after);
      ++splittable_->split_launches;
      split_->submit(after);
      submit_task(after, split_->merged(), split_->pieces());
    } catch (...) {
      leave_place();
      throw;
    }
  }

  /// Finds the command's place among the launches that have not ended: its depth in the graph of launches that depend
  /// on each other. Returns true if no other launch in flight could run at the same time as this launch.
  bool find_place() {
    std::uint64_t follows = 0;
    for (const Use& one : uses()) {
      const LaunchDepths& depths = one.memory->launch_depths();
      follows = std::max(follows, one.mode == AccessMode::read ? depths.writes : depths.uses);
    }
    const ParallelWidth::Place place = queue().context().execution()->width().begin(follows);
    depth_ = place.depth;
    for (const Use& one : uses()) {
      LaunchDepths& depths = one.memory->launch_depths();
      depths.uses = std::max(depths.uses, depth_);
      if (one.mode != AccessMode::read) depths.writes = std::max(depths.writes, depth_);
    }
    alone_ = place.beside == 0;
    return alone_;
  }

  void leave_place() {
    if (depth_ != 0) queue().context().execution()->width().end(depth_);
  }

  std::uint64_t note_end(int status, std::uint64_t started) override {
    if (depth_ == 0) return started;
    leave_place();
    if (status == CL_COMPLETE && alone_) {
      if (split_ != nullptr) {
        split_->learn(*splittable_);
      } else if (ran_on_ != nullptr) {
        splittable_->speeds.took_whole(ran_on_->number(), range_.items(),
                                       static_cast<double>(EventState::now() - started));
      }
    }
    return split_ != nullptr ? split_->started() : started;
  }

  void drop() override {
    split_.reset();
    splittable_.reset();
    arguments_.reset();
    kernel_ = {};
  }

  int run(const KernelContext& context) override {
    if (split_ != nullptr) return split_->merge(context);
    OpenClLaunch& launch = *static_cast<OpenClLaunch*>(context.stream);
    for (RealDevice* device : devices_) {
      if (device->vendor().id == launch.device()) return run_on(*device, launch, context);
    }
    return CL_INVALID_DEVICE;
  }

  int run_on(RealDevice& device, OpenClLaunch& launch, const KernelContext& context) {
    const std::shared_ptr<VendorKernel>& vendor = kernel_->on(device);
    if (vendor == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
    ran_on_ = &device;
    return reported(*kernel_, device, launch_kernel(*vendor, launch, *arguments_, range_, [&](std::size_t index) {
      Memory& memory = *arguments_->list[index].memory;
      return PlacedArgument::of(memory, begin_of(context, memory.whole()));
    }));
  }

  Ref<Kernel> kernel_;
  std::shared_ptr<const KernelArguments> arguments_;
  const NdRange range_;
  /// The devices on which the launch can run.
  const std::vector<RealDevice*> devices_;
  RealDevice* ran_on_ = nullptr;

  /// `splittable_` is null if the launch cannot be split; `split_` is null if the launch is not split.
  std::shared_ptr<SplittableKernel> splittable_;
  std::unique_ptr<SplitLaunch> split_;
  /// The depth of the launch (see `ParallelWidth`); 0 if the launch is not counted there.
  std::uint64_t depth_ = 0;
  bool alone_ = false;
};

}  // namespace

std::shared_ptr<Command> kernel_command(Queue& queue, std::shared_ptr<EventState> event, Kernel& kernel,
                                        std::shared_ptr<const KernelArguments> arguments, const NdRange& range,
                                        std::span<RealDevice* const> devices) {
  return std::make_shared<KernelCommand>(queue, std::move(event), kernel, std::move(arguments), range, devices);
}

const Codelet& Kernel::codelet() {
  if (codelet_ == nullptr) {
    // The name includes a hash of the source: the runtime learns times by codelet name, and kernels of different
    // programs may have the same name.
    const std::size_t source = std::hash<std::string>{}(program_->source());
    const std::string name = fmt::format("{}@{:08x}", name_, source & 0xffffffffU);
    codelet_ = std::make_shared<const Codelet>(RuntimeCommand::command_codelet(name, kind_set(DeviceKind::opencl)));
    slice_codelet_ = std::make_shared<const Codelet>(SplitLaunch::slice_codelet(name + " part"));
  }
  return *codelet_;
}

const Codelet& Kernel::slice_codelet() {
  (void)codelet();
  return *slice_codelet_;
}

}  // namespace troupe::opencl
