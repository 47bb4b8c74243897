/// A device that is not a core and has no memory of its own.
#pragma once

#include <string>

#include "platform/memory/host_block.hpp"

namespace troupe::platform {

/// A device whose kernels work directly on host memory.
class HostDevice {
 public:
  virtual ~HostDevice() = default;

  /// Returns the name for people, such as "OpenCL device 0 (Arc A770)".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Returns the name that the maker gives to the device; empty if it is not known.
  [[nodiscard]] virtual std::string model() const = 0;
  /// Called when no task uses `data` any more, before the program may free their memory. May be called from any thread.
  virtual void forget(const HostBlock& data) noexcept = 0;
};

}  // namespace troupe::platform
