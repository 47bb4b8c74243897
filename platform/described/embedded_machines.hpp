/// The files of platform/described/machines/, as the build put them into the library.
#pragma once

#include <span>
#include <string_view>

namespace troupe::platform {

struct EmbeddedMachine {
  /// The file's name without ".json".
  std::string_view name;
  std::string_view json;
};

/// Returns the files, sorted by name. The source of this function is written by cmake/TroupeEmbed.cmake.
[[nodiscard]] std::span<const EmbeddedMachine> embedded_machines();

}  // namespace troupe::platform
