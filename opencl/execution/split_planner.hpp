/// Whether and how one launch is split.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "opencl/splitting/range_parts.hpp"
#include "opencl/splitting/splittable_kernel.hpp"

namespace troupe::opencl {

struct SplitPlan {
  /// A buffer that the kernel writes.
  struct Output {
    std::size_t argument = 0;
    Memory* memory = nullptr;
  };
  /// What a part may write and read of an output, in bytes from where the argument points to. May be empty.
  struct Written {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    /// Where the piece of data for it begins: at or before `begin`, so that what is aligned stays so.
    std::uint64_t place = 0;
    /// It is read, or not all of it is sure to be written: it needs what was there before.
    bool needs_content = false;

    [[nodiscard]] std::uint64_t size() const { return end - place; }
  };
  struct Part {
    RealDevice* device = nullptr;
    std::shared_ptr<VendorKernel> kernel;
    NdRange range;
    /// By output.
    std::vector<Written> written;
  };

  std::vector<Output> outputs;
  std::vector<Part> parts;
  bool trial = false;
};

class SplitPlanner {
 public:
  /// `devices`: on which the launch can run. `limit`: the most that data may take on each, where there is one.
  SplitPlanner(SplittableKernel& kernel, const KernelArguments& arguments, const NdRange& range,
               std::span<RealDevice* const> devices, std::optional<Bytes> limit);

  /// Nothing: it cannot be split, or that does not pay. Called in the order of submission.
  [[nodiscard]] std::optional<SplitPlan> plan();

 private:
  [[nodiscard]] bool find_outputs();
  /// Along it parts can write to separate memories.
  [[nodiscard]] bool can_split_along(unsigned dimension) const;
  [[nodiscard]] bool asks_along(unsigned dimension) const;
  [[nodiscard]] std::size_t grain_along(unsigned dimension) const;
  [[nodiscard]] std::optional<SplitPlan> plan_along(unsigned dimension);
  /// In place of the device, which might choose others for parts of each size, and compile for each.
  static void choose_groups(SplitPlan::Part& part);
  /// What the part uses of each output; false where that is not known.
  [[nodiscard]] bool find_written(SplitPlan::Part& part) const;
  /// No two parts use the same bytes of an output.
  [[nodiscard]] static bool are_apart(const SplitPlan& plan);
  /// What the part uses has room in its device's memory.
  [[nodiscard]] bool fits(const SplitPlan::Part& part) const;
  /// In nanoseconds, about.
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
