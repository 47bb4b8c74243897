/// Changes to a program's source that make it possible to launch slices of a launch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "opencl/programs/nd_range.hpp"

namespace troupe::opencl {

/// A parameter through which a kernel writes.
struct WrittenParameter {
  /// The index among the kernel's parameters.
  std::size_t index = 0;
  std::string name;
};

/// Returns the source with a changed kernel. After its own arguments the kernel takes one more argument, a `ulong`, for
/// each of `written`, in the same order. A slice's kernel gets only a part of the buffer; the number says how many
/// bytes of the whole buffer lie before that part. Returns nothing if the kernel's definition is not found (macros may
/// produce it), or if there are several definitions.
[[nodiscard]] std::optional<std::string> source_for_slices(const std::string& source, const std::string& kernel,
                                                           std::span<const WrittenParameter> written);

/// Returns a text to put before a source. With it, get_global_size and similar functions return the values of `whole`,
/// even if the kernel runs only a slice. The number of a group is computed from the group size that the device uses.
[[nodiscard]] std::string answers_of_whole(const NdRange& whole);

}  // namespace troupe::opencl
