/// A program's source changed so that parts of a launch can be launched on their own.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "opencl/programs/nd_range.hpp"

namespace troupe::opencl {

/// A parameter that a kernel writes through.
struct WrittenParameter {
  /// Of the kernel's parameters.
  std::size_t index = 0;
  std::string name;
};

/// The source with a kernel that takes one argument more for each of `written`, behind its own and in their order: a
/// `ulong`, how many bytes of the buffer lie before the part that is given in its place. Nothing where the kernel's
/// definition is not found, or is not the only one: macros may make it.
[[nodiscard]] std::optional<std::string> source_for_parts(const std::string& source, const std::string& kernel,
                                                          std::span<const WrittenParameter> written);

/// To be put before a source: the kernel's questions about the whole launch are answered with `whole`, in whatever part
/// of it the kernel runs. Groups are told apart by the sizes that devices use.
[[nodiscard]] std::string answers_of_whole(const NdRange& whole);

}  // namespace troupe::opencl
