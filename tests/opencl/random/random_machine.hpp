/// The contexts, with built kernels, in which random OpenCL programs run. Making these takes longer than running a
/// program.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

/// Makes pocl offer two devices. Must be called before any code asks for devices. Does not replace existing variables.
void use_two_pocl_devices();

/// The memory of each device. It is hardly larger than the largest buffers that one command needs.
inline constexpr const char* kTinyMemory = "16KiB";

/// A context, and the objects that all programs in this context share.
struct RandomContext {
  std::vector<cl_device_id> devices;
  OwnedContext context;
  OwnedProgram program;
  /// The offsets of sub-buffers must be multiples of this number of bytes.
  std::size_t alignment = 1;
};

/// Contexts of all kinds: with the unified device, with all devices, with all real devices, and with one real device.
class RandomMachine {
 public:
  /// Makes the contexts. `policy` is a property of these contexts; empty for the default. Contexts with a policy of
  /// their own have their own runtime.
  explicit RandomMachine(const std::string& policy = {});
  /// Returns a machine whose devices have this amount of memory for data. The amount of the first call is used for the
  /// whole process.
  [[nodiscard]] static RandomMachine with_memory(const std::string& amount);

  [[nodiscard]] const std::vector<RandomContext>& contexts() const { return contexts_; }

 private:
  std::vector<RandomContext> contexts_;
};

}  // namespace troupe::tests
