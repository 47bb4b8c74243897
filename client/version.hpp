/// Which version of Troupe a process has loaded.
#pragma once

namespace troupe {

/// "0.1.0": of the library, not of the headers that a program was compiled with.
[[nodiscard]] const char* library_version() noexcept;

}  // namespace troupe
