#include "opencl/execution/split_planner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

#include "opencl/execution/storage.hpp"

namespace troupe::opencl {

namespace {

/// The largest alignment that vectors and drivers' buffers need, in bytes.
constexpr std::uint64_t kAlignment = 128;

}  // namespace

SplitPlanner::SplitPlanner(SplittableKernel& kernel, const KernelArguments& arguments, const NdRange& range,
                           std::span<RealDevice* const> devices, std::optional<Bytes> limit)
    : kernel_(kernel), arguments_(arguments), range_(range), devices_(devices), limit_(limit) {
  for (const KernelArgument& argument : arguments.list) {
    const bool value = argument.kind == ParameterKind::value;
    values_.arguments.push_back(value
                                    ? std::span(static_cast<const std::byte*>(arguments.value(argument)), argument.size)
                                    : std::span<const std::byte>());
  }
  values_.offset = range.offset;
  values_.global = range.global;
  values_.local = range.has_local ? range.local : std::array<std::size_t, 3>{};
}

std::optional<SplitPlan> SplitPlanner::plan() {
  if (!find_outputs()) return std::nullopt;
  // Rows are contiguous in memory. So a slice along the last dimension usually writes one contiguous range, and that
  // dimension is tried first.
  for (unsigned d = range_.dimensions; d-- > 0;) {
    if (can_split_along(d)) return plan_along(d);
  }
  return std::nullopt;
}

bool SplitPlanner::find_outputs() {
  for (const WrittenParameter& written : kernel_.slice_kernels.written()) {
    Memory* const memory = arguments_.list[written.index].memory.get();
    if (memory == nullptr || !memory->device_writes()) return false;
    outputs_.push_back({written.index, memory});
  }
  // No other argument may refer to the written data, not even through another buffer over the same memory.
  for (const SplitPlan::Output& output : outputs_) {
    const Memory& written = output.memory->whole();
    const auto uses = std::ranges::count_if(arguments_.list, [&written](const KernelArgument& argument) {
      if (!argument.memory) return false;
      const Memory& other = argument.memory->whole();
      return other.host() < written.host() + written.size() && written.host() < other.host() + other.size();
    });
    if (uses != 1) return false;
  }
  return !outputs_.empty();
}

bool SplitPlanner::can_split_along(unsigned dimension) const {
  if (!kernel_.facts.can_split[dimension]) return false;
  if (range_.global[dimension] < 2 * grain_along(dimension)) return false;
  const KernelFacts::Questions& asks = kernel_.facts.asks;
  // If the device chooses the size of groups, it may choose another size for the slices, in any dimension.
  const auto any = [](const std::array<bool, 3>& asked) { return std::ranges::any_of(asked, std::identity()); };
  if (!range_.has_local && (any(asks.group_id) || any(asks.num_groups))) return false;
  // If the writes of two halves do not overlap, the writes of smaller slices should not overlap either.
  ItemBox lower{range_.offset, range_.global};
  lower.count[dimension] /= 2;
  ItemBox upper{range_.offset, range_.global};
  upper.first[dimension] += lower.count[dimension];
  upper.count[dimension] -= lower.count[dimension];
  return std::ranges::all_of(outputs_, [&](const SplitPlan::Output& output) {
    const auto first = stored_bytes(kernel_.facts, output.argument, lower, values_);
    const auto second = stored_bytes(kernel_.facts, output.argument, upper, values_);
    if (!first || !second) return false;
    return first->empty() || second->empty() || first->end <= second->begin || second->end <= first->begin;
  });
}

bool SplitPlanner::asks_along(unsigned dimension) const {
  const KernelFacts::Questions& asks = kernel_.facts.asks;
  return asks.global_size[dimension] || asks.num_groups[dimension] || asks.group_id[dimension];
}

std::size_t SplitPlanner::grain_along(unsigned dimension) const {
  // The number of items in a grain (the unit of a slice's size). It is large enough for groups of a good size.
  constexpr std::size_t kGrain = 64;
  constexpr std::size_t kLaterGrain = 16;
  if (range_.has_local) return range_.local[dimension];
  if (kernel_.mode == SplitMode::always) return 1;
  return dimension == 0 ? kGrain : kLaterGrain;
}

double SplitPlanner::merging() const {
  constexpr double kPerByte = 0.3;
  constexpr double kPerLaunch = 1e5;
  double bytes = 0;
  for (const SplitPlan::Output& output : outputs_) {
    const auto range = stored_bytes(kernel_.facts, output.argument, {range_.offset, range_.global}, values_);
    if (range) bytes += static_cast<double>(std::min<std::uint64_t>(range->end, output.memory->size()));
  }
  return kPerLaunch + kPerByte * bytes;
}

std::optional<SplitPlan> SplitPlanner::plan_along(unsigned dimension) {
  std::vector<int> numbers;
  for (const RealDevice* device : devices_) numbers.push_back(device->number());
  KernelSpeeds::Choice choice;
  if (kernel_.mode == SplitMode::always) {
    choice = {std::vector<double>(devices_.size(), 1.0 / static_cast<double>(devices_.size())), false, 2};
  } else {
    choice = kernel_.speeds.choose(range_.items(), numbers, merging());
  }
  if (choice.fractions.empty()) return std::nullopt;
  const auto kernels = kernel_.slice_kernels.of(range_, asks_along(dimension));
  if (kernels == nullptr) return std::nullopt;
  SplitPlan plan;
  plan.outputs = outputs_;
  plan.trial = choice.trial;
  for (const RangeSlice& one :
       slices_of(range_.global[dimension], grain_along(dimension), choice.fractions, choice.rounds)) {
    SplitPlan::Slice& slice = plan.slices.emplace_back();
    slice.device = devices_[one.device];
    slice.kernel = (*kernels)[static_cast<std::size_t>(slice.device->number())];
    slice.range = range_;
    slice.range.offset[dimension] += one.first;
    slice.range.global[dimension] = one.count;
    if (slice.kernel != nullptr && !range_.has_local) choose_groups(slice);
    if (slice.kernel == nullptr || !find_written(slice) || !fits(slice)) return std::nullopt;
  }
  if (plan.slices.size() < 2 || !are_apart(plan)) return std::nullopt;
  return plan;
}

void SplitPlanner::choose_groups(SplitPlan::Slice& slice) {
  constexpr std::size_t kLargest = 64;
  constexpr std::size_t kSmallest = 8;
  const LaunchLimits limits = LaunchLimits::of(*slice.kernel);
  std::size_t items = std::bit_floor(std::min({kLargest, limits.group, limits.items[0]}));
  while (items >= kSmallest && slice.range.global[0] % items != 0) items /= 2;
  if (items < kSmallest) return;
  slice.range.local = {items, 1, 1};
  slice.range.has_local = true;
}

bool SplitPlanner::find_written(SplitPlan::Slice& slice) const {
  const ItemBox items{slice.range.offset, slice.range.global};
  for (const SplitPlan::Output& output : outputs_) {
    const bool reads = kernel_.facts.arguments[output.argument].reads;
    auto range = stored_bytes(kernel_.facts, output.argument, items, values_);
    // An item may read places that it writes itself. The piece must then also contain places that an item only reads.
    const auto loaded = reads ? loaded_bytes(kernel_.facts, output.argument, items, values_) : ByteRange();
    if (!range || !loaded) return false;
    if (range->empty()) range = loaded;
    if (!loaded->empty()) range = {std::min(range->begin, loaded->begin), std::max(range->end, loaded->end)};
    SplitPlan::Written& written = slice.written.emplace_back();
    if (range->empty()) continue;
    // A correct program does not use bytes behind the end of the buffer.
    written.end = std::min<std::uint64_t>(range->end, output.memory->size());
    written.begin = std::min(range->begin, written.end);
    written.place = written.begin / kAlignment * kAlignment;
    const bool sees_content = reads || !stores_all(kernel_.facts, output.argument, items, values_);
    written.needs_content = sees_content && output.memory->whole().storage().has_content();
  }
  return true;
}

bool SplitPlanner::fits(const SplitPlan::Slice& slice) const {
  // Without a limit by the user, data get a fourth of the memory: other programs may need the rest.
  constexpr std::size_t kFraction = 4;
  const Bytes room = limit_ ? *limit_ : Bytes{slice.device->vendor().memory.count / kFraction};
  std::vector<const Memory*> read;
  for (std::size_t i = 0; i < arguments_.list.size(); ++i) {
    if (!arguments_.list[i].memory) continue;
    const auto output = std::ranges::find(outputs_, i, &SplitPlan::Output::argument);
    const bool is_read =
        output == outputs_.end() || slice.written[static_cast<std::size_t>(output - outputs_.begin())].needs_content;
    const Memory* const whole = &arguments_.list[i].memory->whole();
    if (is_read && std::ranges::find(read, whole) == read.end()) read.push_back(whole);
  }
  std::uint64_t bytes = 0;
  for (const Memory* memory : read) bytes += memory->size();
  for (const SplitPlan::Written& written : slice.written) bytes += written.size();
  return bytes <= static_cast<std::uint64_t>(room.count);
}

bool SplitPlanner::are_apart(const SplitPlan& plan) {
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    std::vector<SplitPlan::Written> all;
    for (const SplitPlan::Slice& slice : plan.slices) {
      if (slice.written[i].end > slice.written[i].begin) all.push_back(slice.written[i]);
    }
    std::ranges::sort(all, {}, &SplitPlan::Written::begin);
    const auto overlaps = [](const SplitPlan::Written& one, const SplitPlan::Written& next) {
      return next.begin < one.end;
    };
    if (std::ranges::adjacent_find(all, overlaps) != all.end()) return false;
  }
  return true;
}

}  // namespace troupe::opencl
