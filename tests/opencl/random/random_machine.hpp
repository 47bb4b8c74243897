/// Where random OpenCL programs run: contexts with kernels built, which take longer to make than a program to run.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

/// Makes pocl two devices, before the first call of anything that asks for devices. What the caller has set is kept.
void use_two_pocl_devices();

/// Hardly more than the largest buffers of one command.
inline constexpr const char* kTinyMemory = "16KiB";

/// A context, and what it has for all programs.
struct RandomContext {
  std::vector<cl_device_id> devices;
  OwnedContext context;
  OwnedProgram program;
  /// Of sub-buffers' offsets, in bytes.
  std::size_t alignment = 1;
};

/// Contexts of every sort: on the unified device, on it and all others, on the real ones, on one.
class RandomMachine {
 public:
  /// `policy`: as a context's property; empty: the default. Contexts with a policy of their own have a runtime of their
  /// own.
  explicit RandomMachine(const std::string& policy = {});
  /// On devices with this much memory for data, which is what it is after the first call for the whole process.
  [[nodiscard]] static RandomMachine with_memory(const std::string& amount);

  [[nodiscard]] const std::vector<RandomContext>& contexts() const { return contexts_; }

 private:
  std::vector<RandomContext> contexts_;
};

}  // namespace troupe::tests
