/// Plans how one launch is split.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "opencl/splitting/range_slices.hpp"
#include "opencl/splitting/splittable_kernel.hpp"

namespace troupe::opencl {

struct SplitPlan {
  /// A buffer that the kernel writes.
  struct Output {
    std::size_t argument = 0;
    Memory* memory = nullptr;
  };
  /// The range of an output that a slice may write and read, in bytes from the argument's address. The range may be
  /// empty.
  struct Written {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    /// The position at which the slice's piece of data begins: at or shortly before `begin`, to keep the alignment.
    std::uint64_t place = 0;
    /// True if the piece needs the old content: the slice reads it, or may leave some of it unwritten.
    bool needs_content = false;

    [[nodiscard]] std::uint64_t size() const { return end - place; }
  };
  struct Slice {
    RealDevice* device = nullptr;
    std::shared_ptr<VendorKernel> kernel;
    NdRange range;
    /// The ranges that the slice writes, one for each output.
    std::vector<Written> written;
  };

  std::vector<Output> outputs;
  std::vector<Slice> slices;
  bool trial = false;
};

class SplitPlanner {
 public:
  /// `devices` are the devices on which the launch can run. `limit` is the largest amount of memory that data may take
  /// on each device, if there is a limit.
  SplitPlanner(SplittableKernel& kernel, const KernelArguments& arguments, const NdRange& range,
               std::span<RealDevice* const> devices, std::optional<Bytes> limit);

  /// Returns nothing if the launch cannot be split, or if splitting does not pay. Called in the order of submission.
  [[nodiscard]] std::optional<SplitPlan> plan();

 private:
  [[nodiscard]] bool find_outputs();
  /// Returns true if slices along this dimension can write to separate memories.
  [[nodiscard]] bool can_split_along(unsigned dimension) const;
  [[nodiscard]] bool asks_along(unsigned dimension) const;
  [[nodiscard]] std::size_t grain_along(unsigned dimension) const;
  [[nodiscard]] std::optional<SplitPlan> plan_along(unsigned dimension);
  /// Chooses the size of groups if the program left this choice to the device. The device might choose another size for
  /// each size of slice, and compile the kernel for each.
  static void choose_groups(SplitPlan::Slice& slice);
  /// Finds the range of each output that the slice uses; returns false if a range is not known.
  [[nodiscard]] bool find_written(SplitPlan::Slice& slice) const;
  /// Returns true if no two slices use the same byte of an output.
  [[nodiscard]] static bool are_apart(const SplitPlan& plan);
  /// Returns true if the slice's data fit into its device's memory.
  [[nodiscard]] bool fits(const SplitPlan::Slice& slice) const;
  /// Returns the approximate cost of merging the pieces, in nanoseconds.
  [[nodiscard]] double merging() const;

  SplittableKernel& kernel_;
  const KernelArguments& arguments_;
  const NdRange& range_;
  const std::span<RealDevice* const> devices_;
  const std::optional<Bytes> limit_;
  LaunchValues values_;
  std::vector<SplitPlan::Output> outputs_;
};

}  // namespace troupe::opencl
