/// A file that appears complete or not at all.
#pragma once

#include <string>
#include <string_view>

#include "platform/files/file_descriptor.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// Writes to a temporary file in the target's folder and renames it on `commit()`. Until then the target is unchanged;
/// without a commit the temporary file is removed. If the target is a symbolic link, the file that the link names is
/// replaced. A target that is no regular file (`/dev/stdout`, a pipe) is written directly, because it cannot be
/// replaced. Every failure has `ErrorCode::io` and names the target. One thread at a time.
class AtomicFile {
 public:
  /// Opens the temporary file. Fails if the target could not be replaced: no such folder, no permission, a folder of
  /// that name, an existing file that is read-only.
  static Result<AtomicFile> create(const std::string& path);

  AtomicFile(AtomicFile&& other) noexcept;
  ~AtomicFile();

  /// Appends to the file. Each call makes a system call, so pass large pieces.
  Result<void> write(std::string_view bytes);

  /// Flushes to the disk and puts the file in the target's place. Call once; nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFile(FileDescriptor file, std::string target, std::string temporary);
  void discard() noexcept;

  FileDescriptor file_;
  std::string target_;
  /// The path of the temporary file; empty if the target is written directly, and after a commit.
  std::string temporary_;
};

/// Checks that a file could be written to `path`, before work that takes long. Pipes and character devices are not
/// opened: the reader of a pipe would take the end of the check for the end of the data.
Result<void> check_writable(const std::string& path);

/// Creates or replaces the file `path` with `content`.
Result<void> write_file(const std::string& path, std::string_view content);

}  // namespace troupe::platform
