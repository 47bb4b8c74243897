/// Files with measurements of a machine: JSON objects with a format, a version, the machine's key and a checksum.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "platform/files/json_field.hpp"
#include "proto/json/json.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

struct CheckedFormat {
  /// The format's name inside the file, such as "troupe kernel times".
  const char* name = "";
  std::uint64_t version = 1;
  /// The name of the member that the checksum covers.
  const char* content = "";
  /// A description of the file for messages, such as "file of kernel times".
  const char* what = "";
  /// The first version that can still be read.
  std::uint64_t oldest_version = version;
};

/// Reads the file and passes its content to `read`, which throws `Error` if the content cannot be used. Does nothing if
/// there is no such file. Fails with `io` if the file cannot be read; with `bad_input` if the file is larger than 64
/// MiB, has another version or machine, or is damaged.
[[nodiscard]] Result<void> read_checked(const std::string& path, const CheckedFormat& format,
                                        const std::string& machine_key,
                                        const std::function<void(const JsonField&)>& read);

/// Replaces the file in one step: a reader sees either the old file or the new file. If several processes write, the
/// last writer wins. Creates the folder if it is missing. Fails with `io`.
[[nodiscard]] Result<void> write_checked(const std::string& path, const CheckedFormat& format,
                                         const std::string& machine_key, Json content);

}  // namespace troupe::platform
