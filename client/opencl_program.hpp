/// A program in OpenCL C, for codelets.
#pragma once

#include <memory>
#include <string>

#include "graph/codelets/opencl_launch.hpp"

struct _cl_kernel;

namespace troupe {

/// Built once for each device, by the first task there that needs it, which may take a second. Copies share one. All
/// functions may be called by several kernels at the same time.
///
///     const OpenClProgram program("kernel void scale(global double* x, double a) { x[get_global_id(0)] *= a; }");
///     const Codelet scale = Codelet("scale", {AccessMode::read_write})
///                               .opencl([program](OpenClLaunch& launch, VectorView<double> x, double a) {
///                                 _cl_kernel* const kernel = program.kernel(launch, "scale");
///                                 …
///                               });
class OpenClProgram {
 public:
  /// `options`: the compiler's, "-cl-fast-relaxed-math".
  explicit OpenClProgram(std::string source, std::string options = {});

  /// The driver's kernel, for nobody but the task that is running: its arguments stay from one task to the next of the
  /// same queue. It lives as long as the program, and is not to be released. Throws `Error` (`kernel_failed`) where the
  /// program cannot be built, with what the compiler says, or has no such kernel.
  [[nodiscard]] _cl_kernel* kernel(const OpenClLaunch& launch, const std::string& name) const;

 private:
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace troupe
