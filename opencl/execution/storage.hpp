/// A buffer's content as data of the runtime.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "client/data.hpp"
#include "opencl/execution/execution.hpp"

namespace troupe::opencl {

/// The bytes of a buffer, not of a part of one: host memory, which the caller keeps, with replicas on devices.
///
/// Several buffers may lie in the same memory of the program. The runtime knows one of them at a time: whoever is used
/// brings the others home first. So each finds what the others have left, as long as no command uses two of them (the
/// standard leaves open what that does; here it fails).
class Storage {
 public:
  enum class Content {
    /// None yet.
    undefined,
    /// What lies in the host memory.
    defined,
    /// The same, and the memory is the program's.
    of_program,
  };

  Storage(std::shared_ptr<Execution> execution, std::byte* host, std::size_t size, Content content);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  /// Waits for the commands that use it, and drops what devices have of it. Not by a worker of the runtime.
  ~Storage();

  /// How a command that is submitted now and has this mode accesses it: what was never written need not be copied to
  /// where the command writes. Called in the order of submission. Waits for commands that use other buffers in the same
  /// memory.
  [[nodiscard]] Access access(AccessMode mode);
  /// Something was written, or is the program's. Called in the order of submission.
  [[nodiscard]] bool has_content() const { return defined_; }

 private:
  struct Shared;

  void know();
  void forget();
  [[nodiscard]] bool overlaps(const Storage& other) const;

  const std::shared_ptr<Execution> execution_;
  std::byte* const host_;
  const std::size_t size_;
  const bool of_program_;
  bool defined_;
  /// Where the runtime knows it. If the memory is the program's, under the lock of `Shared`.
  std::optional<Data> data_;
};

}  // namespace troupe::opencl
