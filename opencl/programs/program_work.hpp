/// Work on a program for several real devices at once, such as builds and compilations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "opencl/programs/program.hpp"

namespace troupe::opencl {

/// One build or compilation. It is in progress as long as this object lives: no other can begin.
class ProgramWork {
 public:
  /// Makes a vendor's program in `build.program` and returns the vendor's code; may refuse.
  using Step = std::function<cl_int(ProgramBuild& build)>;

  /// Begins the work. Refuses with CL_INVALID_DEVICE and CL_INVALID_OPERATION.
  ProgramWork(Program& program, const std::vector<Device*>& devices, const std::string& options);
  /// Runs the step for each device in a thread of its own. Returns the first failure's code.
  [[nodiscard]] cl_int run(const Step& step);

 private:
  void publish(const ProgramBuild& done);

  Program& program_;
  std::vector<ProgramBuild> builds_;
};

/// Calls `step`, and copies log and type from the vendor's program. Never refuses; returns the code.
[[nodiscard]] cl_int work_on(ProgramBuild& build, const ProgramWork::Step& step) noexcept;

/// Returns the real devices behind `devices`, each once, in the platform's order.
[[nodiscard]] std::vector<RealDevice*> real_devices_behind(const std::vector<Device*>& devices);

}  // namespace troupe::opencl
