/// What a program has done for several real devices at once: builds, compilations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "opencl/programs/program.hpp"

namespace troupe::opencl {

/// One such action. It is in progress while this lives: no other begins.
class ProgramWork {
 public:
  /// Makes a vendor's program in `build.program` and returns the vendor's code; may refuse.
  using Step = std::function<cl_int(ProgramBuild& build)>;

  /// Refuses with CL_INVALID_DEVICE and CL_INVALID_OPERATION.
  ProgramWork(Program& program, const std::vector<Device*>& devices, const std::string& options);
  /// Each device's in a thread of its own. Returns the first failure's code.
  [[nodiscard]] cl_int run(const Step& step);

 private:
  void publish(const ProgramBuild& done);

  Program& program_;
  std::vector<ProgramBuild> builds_;
};

/// Calls `step`, and takes from the vendor's program what it says of itself. Never refuses; returns the code.
[[nodiscard]] cl_int work_on(ProgramBuild& build, const ProgramWork::Step& step) noexcept;

/// The real devices behind those, each once, in the platform's order.
[[nodiscard]] std::vector<RealDevice*> real_devices_behind(const std::vector<Device*>& devices);

}  // namespace troupe::opencl
