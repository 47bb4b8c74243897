/// The content of a buffer as data of the runtime.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "opencl/execution/execution.hpp"
#include "troupe/data.hpp"

namespace troupe::opencl {

/// The bytes of a whole buffer (not of a sub-buffer): host memory, which the caller owns, with copies on devices.
///
/// Several buffers may lie in the same memory of the program. Only one of these buffers is registered with the runtime
/// at a time: before a buffer is used, the content of the others is copied from devices to host memory. So each buffer
/// sees the data that the others have written, as long as no command uses two of them. (The standard does not define
/// the result of such a command; here it fails.)
class Storage {
 public:
  enum class Content {
    /// There is no content yet.
    undefined,
    /// The content is in the host memory.
    defined,
    /// The content is in the host memory, and that memory belongs to the program.
    of_program,
  };

  Storage(std::shared_ptr<Execution> execution, std::byte* host, std::size_t size, Content content);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  /// Waits for the commands that use the storage, and discards its content on devices. A worker of the runtime must not
  /// destroy a storage.
  ~Storage();

  /// Returns the access with this mode, for a command that is submitted now. Content that was never written is not
  /// copied to the device of the command. Must be called in the order of submission. Waits for commands that use other
  /// buffers in the same memory.
  [[nodiscard]] Access access(AccessMode mode);
  /// Returns true if the content was written before, or if the memory is the program's. Must be called in the order of
  /// submission.
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
  /// The registration with the runtime. If the memory is the program's, the lock of `Shared` protects it.
  std::optional<Data> data_;
};

}  // namespace troupe::opencl
