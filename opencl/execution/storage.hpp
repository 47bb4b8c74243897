/// A buffer's content as data of the runtime.
#pragma once

#include <cstddef>
#include <memory>

#include "client/data.hpp"
#include "opencl/execution/execution.hpp"

namespace troupe::opencl {

/// The bytes of a buffer, not of a part of one: host memory, which the caller keeps, with replicas on devices.
class Storage {
 public:
  /// `defined`: the host memory has content that counts.
  Storage(std::shared_ptr<Execution> execution, std::byte* host, std::size_t size, bool defined);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  /// Waits for the commands that use it, and drops what devices have of it. Not by a worker of the runtime.
  ~Storage();

  [[nodiscard]] Handle handle() const { return data_.handle(); }
  [[nodiscard]] Execution& execution() const { return *execution_; }

  /// How a command that is submitted now and has this mode accesses it: what was never written need not be copied to
  /// where the command writes. Called in the order of submission.
  [[nodiscard]] Access access(AccessMode mode);

 private:
  const std::shared_ptr<Execution> execution_;
  Data data_;
  bool defined_;
};

}  // namespace troupe::opencl
