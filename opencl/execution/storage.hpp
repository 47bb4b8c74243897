/// A buffer's content as data of the runtime.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "opencl/execution/execution.hpp"
#include "troupe/data.hpp"

namespace troupe::opencl {

/// The bytes of a whole buffer (not of a part): host memory, which the caller keeps, with replicas on devices.
///
/// Several buffers may lie in the same memory of the program. The runtime has one of them registered at a time: using a
/// buffer first copies the content of the others home. So each buffer sees what the others have left, as long as no
/// command uses two of them (the standard leaves the result open; here such a command fails).
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
  /// Waits for the commands that use the storage, and drops its content on devices. A worker of the runtime must not
  /// destroy it.
  ~Storage();

  /// Returns the access for a command that is submitted now and has this mode. Content that was never written is not
  /// copied to the device of the command. Called in the order of submission. Waits for commands that use other buffers
  /// in the same memory.
  [[nodiscard]] Access access(AccessMode mode);
  /// Returns true if something was written, or if the content is the program's. Called in the order of submission.
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
