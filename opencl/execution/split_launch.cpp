#include "opencl/execution/split_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "opencl/execution/kernel_launch.hpp"
#include "troupe/opencl.hpp"

namespace troupe::opencl {

std::unique_ptr<SplitLaunch> SplitLaunch::plan(const Launch& launch, SplittableKernel& kernel,
                                               std::span<RealDevice* const> devices) {
  std::optional<SplitPlan> plan =
      SplitPlanner(kernel, *launch.arguments, launch.range, devices, launch.execution->memory_limit()).plan();
  if (!plan) return nullptr;
  try {
    return std::make_unique<SplitLaunch>(launch, std::move(*plan));
  } catch (const Refusal&) {  // There is no memory for the pieces.
    return nullptr;
  }
}

SplitLaunch::SplitLaunch(const Launch& launch, SplitPlan plan)
    : launch_(launch), outputs_(std::move(plan.outputs)), trial_(plan.trial) {
  for (SplitPlan::Slice& planned : plan.slices) {
    auto slice = std::make_unique<Slice>();
    slice->whole = this;
    slice->planned = std::move(planned);
    for (const SplitPlan::Written& written : slice->planned.written) {
      slice->pieces.push_back(StoragePool::take(launch_.execution, std::max<std::size_t>(written.size(), 1)));
    }
    slices_.push_back(std::move(slice));
  }
}

void SplitLaunch::submit(const std::vector<Future>& after) {
  for (const std::unique_ptr<Slice>& slice : slices_) submit(*slice, after);
}

void SplitLaunch::submit(Slice& slice, const std::vector<Future>& after) {
  std::vector<Access> accesses;
  const auto read = [&](Memory& memory) {
    if (std::ranges::find(slice.read, &memory) != slice.read.end()) return;
    slice.read.push_back(&memory);
    accesses.push_back(memory.storage().access(AccessMode::read));
  };
  for (std::size_t i = 0; i < launch_.arguments->list.size(); ++i) {
    const Ref<Memory>& memory = launch_.arguments->list[i].memory;
    if (memory && !output_of(i)) read(memory->whole());
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (slice.planned.written[i].needs_content) read(outputs_[i].memory->whole());
  }
  for (const std::shared_ptr<Storage>& piece : slice.pieces) accesses.push_back(piece->access(AccessMode::write));
  TaskOptions options;
  options.devices = launch_.execution->workers_of(std::span(&slice.planned.device, 1));
  options.after = after;
  const NdRange& range = slice.planned.range;
  options.name =
      fmt::format("{} from {} {} {}", launch_.kernel->name(), range.offset[0], range.offset[1], range.offset[2]);
  // The callback keeps the command alive, and the command owns the slices. So a slice stays valid even if not all
  // slices could be submitted.
  options.callback = [&slice, command = launch_.command->shared_from_this()](const TaskOutcome& /*outcome*/) {
    slice.ended = EventState::now();
  };
  launch_.execution->runtime().submit(launch_.kernel->slice_codelet(), accesses, args(&slice), options);
}

void SplitLaunch::run_task(const KernelContext& context) {
  Slice& slice = *context.argument<Slice*>(0);
  slice.started = EventState::now();
  slice.status = slice.whole->run(slice, context);
}

int SplitLaunch::run(const Slice& slice, const KernelContext& context) const {
  RuntimeCommand& command = *launch_.command;
  if (command.awaited_failure()) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  command.event()->advance(CL_RUNNING);
  OpenClLaunch& launch = *static_cast<OpenClLaunch*>(context.stream);
  if (const int status = copy_content(slice, launch, context); status != CL_SUCCESS) return status;
  std::vector<cl_ulong> before;
  for (const SplitPlan::Written& written : slice.planned.written) before.push_back(written.place);
  const auto placed = [&](std::size_t argument) {
    Memory& memory = *launch_.arguments->list[argument].memory;
    if (const std::optional<std::size_t> output = output_of(argument)) {
      return PlacedArgument{context.data(slice.read.size() + *output).data};
    }
    return PlacedArgument::of(memory, begin_of_whole(slice, context, memory));
  };
  return reported(
      *launch_.kernel, *slice.planned.device,
      launch_kernel(*slice.planned.kernel, launch, *launch_.arguments, slice.planned.range, placed, before));
}

int SplitLaunch::copy_content(const Slice& slice, OpenClLaunch& launch, const KernelContext& context) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const SplitPlan::Written& written = slice.planned.written[i];
    if (!written.needs_content) continue;
    Memory& memory = *outputs_[i].memory;
    const cl_mem from = launch.buffer(begin_of_whole(slice, context, memory));
    const cl_mem to = launch.buffer(context.data(slice.read.size() + i).data);
    const int status = launch.api().clEnqueueCopyBuffer(launch.queue(), from, to, memory.offset() + written.begin,
                                                        written.begin - written.place, written.end - written.begin, 0,
                                                        nullptr, nullptr);
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

const std::byte* SplitLaunch::begin_of_whole(const Slice& slice, const KernelContext& context, Memory& memory) {
  const auto at = std::ranges::find(slice.read, &memory.whole());
  return context.data(static_cast<std::size_t>(at - slice.read.begin())).data;
}

std::optional<std::size_t> SplitLaunch::output_of(std::size_t argument) const {
  const auto found = std::ranges::find(outputs_, argument, &SplitPlan::Output::argument);
  if (found == outputs_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - outputs_.begin());
}

std::vector<RuntimeCommand::Use> SplitLaunch::merged() const {
  std::vector<RuntimeCommand::Use> uses;
  for (const SplitPlan::Output& output : outputs_) {
    // The mode `read_write` keeps the old content. That content is needed if an awaited command has failed, because
    // then the launch does not run.
    uses.push_back({Ref(&output.memory->whole()), AccessMode::read_write});
  }
  return uses;
}

std::vector<Access> SplitLaunch::pieces() const {
  std::vector<Access> accesses;
  for (const std::unique_ptr<Slice>& slice : slices_) {
    for (const std::shared_ptr<Storage>& piece : slice->pieces) accesses.push_back(piece->access(AccessMode::read));
  }
  return accesses;
}

int SplitLaunch::merge(const KernelContext& context) const {
  for (const std::unique_ptr<Slice>& slice : slices_) {
    if (slice->status != CL_SUCCESS) return slice->status;
  }
  std::size_t next = outputs_.size();
  for (const std::unique_ptr<Slice>& slice : slices_) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const SplitPlan::Written& written = slice->planned.written[i];
      std::byte* const to = context.data(i).data + outputs_[i].memory->offset() + written.begin;
      const std::byte* const from = context.data(next++).data + (written.begin - written.place);
      if (written.end > written.begin) std::memcpy(to, from, written.end - written.begin);
    }
  }
  return CL_COMPLETE;
}

std::uint64_t SplitLaunch::started() const {
  std::uint64_t first = 0;
  for (const std::unique_ptr<Slice>& slice : slices_) {
    const std::uint64_t one = slice->started;
    if (one != 0 && (first == 0 || one < first)) first = one;
  }
  return first;
}

void SplitLaunch::learn(SplittableKernel& kernel) const {
  struct Busy {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::size_t items = 0;
  };
  std::map<int, Busy> busy;
  for (const std::unique_ptr<Slice>& slice : slices_) {
    Busy& device = busy[slice->planned.device->number()];
    const std::uint64_t started = slice->started;
    if (device.items == 0 || started < device.from) device.from = started;
    device.to = std::max<std::uint64_t>(device.to, slice->ended);
    device.items += slice->planned.range.items();
  }
  const std::size_t all = launch_.range.items();
  for (const auto& [device, one] : busy) {
    kernel.speeds.took_slice(all, device, one.items, static_cast<double>(one.to - one.from));
  }
  if (!trial_) kernel.speeds.took_split(all, static_cast<double>(EventState::now() - started()));
}

Codelet SplitLaunch::slice_codelet(const std::string& name) {
  return RuntimeCommand::codelet_with<Slice*>(name, kind_set(DeviceKind::opencl), run_task)
      .footprint([](const KernelContext& context) {
        const Slice& slice = *context.argument<Slice*>(0);
        return slice.whole->launch_.arguments->footprint ^ slice.planned.range.footprint();
      });
}

}  // namespace troupe::opencl
