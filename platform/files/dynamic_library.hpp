/// A shared library that is loaded when it is first needed, so that programs also start if it is missing.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "troupe/errors.hpp"

namespace troupe::platform {

/// A loaded library, which stays loaded until the process ends: copies are cheap, and addresses of its functions stay
/// valid.
class DynamicLibrary {
 public:
  /// Loads a library. `file` is a file's name, such as "libcudart.so.13". The search goes through the folders of
  /// `before`, then those of the dynamic loader (LD_LIBRARY_PATH, the system's folders), then those of `after`; empty
  /// folders are skipped. Fails with `platform`; the message gives the error of each place.
  [[nodiscard]] static Result<DynamicLibrary> open(const std::string& file, std::span<const std::string> before,
                                                   std::span<const std::string> after);

  /// Returns the address of a function. Fails with `platform` if the library has no function of this name.
  [[nodiscard]] Result<void*> find(const char* name) const;

  /// Returns the path where the library was found; a bare file name if the loader found it.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns the file that the loader took, without symbolic links; `path()` if the loader does not say.
  [[nodiscard]] std::string file() const;

  /// Returns true if `address` is the address of a function or variable of this library.
  [[nodiscard]] bool has(const void* address) const;

  /// Returns true if `a` and `b` are the same loaded library, even if their paths differ.
  friend bool operator==(const DynamicLibrary& a, const DynamicLibrary& b) { return a.handle_ == b.handle_; }

 private:
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;
  std::string path_;
};

}  // namespace troupe::platform
