/// A kernel whose launches can run in parts.
#pragma once

#include <memory>
#include <string>

#include "opencl/analysis/program_facts.hpp"
#include "opencl/programs/kernel.hpp"
#include "opencl/splitting/kernel_speeds.hpp"
#include "opencl/splitting/part_kernels.hpp"

namespace troupe::opencl {

/// What is known of it, which its program keeps: programs may make kernels anew for each launch.
class SplittableKernel {
 public:
  SplittableKernel(const Kernel& kernel, std::shared_ptr<const ProgramFacts> program, const KernelFacts& facts,
                   std::vector<WrittenParameter> written)
      : facts(facts),
        parts(kernel.program(), kernel.name(), std::move(written)),
        program_facts_(std::move(program)) {}

  const KernelFacts& facts;
  PartKernels parts;
  KernelSpeeds speeds;

 private:
  std::shared_ptr<const ProgramFacts> program_facts_;
};

}  // namespace troupe::opencl
