/// The places where random OpenCL programs run: contexts with built kernels. Making these takes longer than running a
/// program.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

/// Makes pocl have two devices. Call it before anything asks for devices. Variables that the caller has set are kept.
void use_two_pocl_devices();

/// Hardly more memory than the largest buffers of one command need.
inline constexpr const char* kTinyMemory = "16KiB";

/// A context and the objects that all programs share.
struct RandomContext {
  std::vector<cl_device_id> devices;
  OwnedContext context;
  OwnedProgram program;
  /// The unit of sub-buffers' offsets, in bytes.
  std::size_t alignment = 1;
};

/// Contexts of all kinds: on the unified device, on all devices, on the real devices, and on one of these.
class RandomMachine {
 public:
  /// Makes the contexts. `policy` is given as a context's property; empty for the default. Contexts with a policy of
  /// their own have a runtime of their own.
  explicit RandomMachine(const std::string& policy = {});
  /// Returns a machine whose devices have this much memory for data. After the first call the amount holds for the
  /// whole process.
  [[nodiscard]] static RandomMachine with_memory(const std::string& amount);

  [[nodiscard]] const std::vector<RandomContext>& contexts() const { return contexts_; }

 private:
  std::vector<RandomContext> contexts_;
};

}  // namespace troupe::tests
