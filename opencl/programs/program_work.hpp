/// Work on a program for several real devices at the same time, such as builds and compilations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "opencl/programs/program.hpp"

namespace troupe::opencl {

/// One build or compilation. While this object exists, no other build or compilation of the program can begin.
class ProgramWork {
 public:
  /// Makes a vendor's program in `build.program` and returns the vendor's code. May throw a `Refusal`.
  using Step = std::function<cl_int(ProgramBuild& build)>;

  /// Begins the work. Refuses with CL_INVALID_DEVICE and CL_INVALID_OPERATION.
  ProgramWork(Program& program, const std::vector<Device*>& devices, const std::string& options);
  /// Runs the step for each device in a separate thread. Returns the code of the first failure.
  [[nodiscard]] cl_int run(const Step& step);

 private:
  void publish(const ProgramBuild& done);

  Program& program_;
  std::vector<ProgramBuild> builds_;
};

/// Calls `step`, and copies the log and the type from the vendor's program. Returns the code of `step`, or the code for
/// an exception that `step` throws.
[[nodiscard]] cl_int work_on(ProgramBuild& build, const ProgramWork::Step& step) noexcept;

/// Returns the real devices behind `devices`, each once, in the platform's order.
[[nodiscard]] std::vector<RealDevice*> real_devices_behind(const std::vector<Device*>& devices);

}  // namespace troupe::opencl
