/// A program in OpenCL C, for codelets.
#pragma once

#include <memory>
#include <string>

#include "graph/codelets/opencl_launch.hpp"

struct _cl_kernel;

namespace troupe {

/// A program that is built once for each device, by the first task there that needs it, which may take a second. Copies
/// share one program. Several kernels may call all functions at the same time.
///
///     const OpenClProgram program("kernel void scale(global double* x, double a) { x[get_global_id(0)] *= a; }");
///     const Codelet scale = Codelet("scale", {AccessMode::read_write})
///                               .opencl([program](OpenClLaunch& launch, VectorView<double> x, double a) {
///                                 _cl_kernel* const kernel = program.kernel(launch, "scale");
///                                 …
///                               });
class OpenClProgram {
 public:
  /// `options`: options for the compiler, such as "-cl-fast-relaxed-math".
  explicit OpenClProgram(std::string source, std::string options = {});

  /// Returns the driver's kernel, for use by the running task only: its arguments stay set from one task to the next of
  /// the same queue. It lives as long as the program; do not release it. Throws `Error` (`kernel_failed`) with the
  /// compiler's message if the program cannot be built, and if it has no such kernel.
  [[nodiscard]] _cl_kernel* kernel(const OpenClLaunch& launch, const std::string& name) const;

 private:
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace troupe
