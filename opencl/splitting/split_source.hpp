/// Changes of a program's source that allow launching parts of a launch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "opencl/programs/nd_range.hpp"

namespace troupe::opencl {

/// A parameter that a kernel writes through.
struct WrittenParameter {
  /// The index among the kernel's parameters.
  std::size_t index = 0;
  std::string name;
};

/// Returns the source with a changed kernel. After its own arguments it takes one more for each of `written`, in the
/// same order: a `ulong`, the number of bytes of the buffer that lie before the part that is passed instead of it.
/// Returns nothing if the kernel's definition is not found, as macros may produce it, or if there are several.
[[nodiscard]] std::optional<std::string> source_for_parts(const std::string& source, const std::string& kernel,
                                                          std::span<const WrittenParameter> written);

/// Returns a text to put before a source. It makes the kernel get the answers for `whole` when it asks about the
/// launch, whatever part of it the kernel runs. The number of a group follows from the group size that the device uses.
[[nodiscard]] std::string answers_of_whole(const NdRange& whole);

}  // namespace troupe::opencl
