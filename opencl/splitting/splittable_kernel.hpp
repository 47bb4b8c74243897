/// A kernel whose launches can run in slices.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "opencl/analysis/kernel_facts.hpp"
#include "opencl/programs/kernel.hpp"
#include "opencl/splitting/kernel_speeds.hpp"
#include "opencl/splitting/slice_kernels.hpp"
#include "opencl/splitting/split_mode.hpp"

namespace troupe::opencl {

/// The data for splitting the launches of a kernel. The program keeps them, because the application may make a new
/// kernel object for each launch.
class SplittableKernel {
 public:
  SplittableKernel(const Kernel& kernel, KernelFacts facts, std::vector<WrittenParameter> written, SplitMode mode)
      : facts(std::move(facts)),
        mode(mode),
        slice_kernels(kernel.program(), kernel.name(), std::move(written), mode == SplitMode::always) {}

  const KernelFacts facts;
  const SplitMode mode;
  SliceKernels slice_kernels;
  KernelSpeeds speeds;
  /// The number of launches that were split, for tests and reports.
  std::atomic<std::size_t> split_launches{0};
};

}  // namespace troupe::opencl
