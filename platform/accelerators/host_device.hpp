/// A device beside the cores that has no memory of its own.
#pragma once

#include <string>

#include "platform/memory/host_block.hpp"

namespace troupe::platform {

/// A device whose kernels work on host memory itself.
class HostDevice {
 public:
  virtual ~HostDevice() = default;

  /// The name for people: "OpenCL device 0 (Arc A770)".
  [[nodiscard]] virtual std::string name() const = 0;
  /// The maker's name for the device; empty where it is not known.
  [[nodiscard]] virtual std::string model() const = 0;
  /// The program may give this memory back, as no task uses the data there any more. Any thread.
  virtual void forget(const HostBlock& data) noexcept = 0;
};

}  // namespace troupe::platform
