/// Numbers that kernels outside of Python take by value.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"

namespace troupe::python {

enum class ScalarType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
};

/// Returns the type for a name in C, numpy or Numba ("int32", "double" …); empty for other words.
[[nodiscard]] std::optional<ScalarType> scalar_named(std::string_view name);
[[nodiscard]] std::string_view name_of(ScalarType type);
[[nodiscard]] ArgumentType argument_type_of(ScalarType type);
/// Returns the type with this tag; empty for types that Python cannot make.
[[nodiscard]] std::optional<ScalarType> scalar_with(std::uint64_t tag);

/// The position of an argument, for messages.
struct Argument {
  const std::string& codelet;
  /// The index among all arguments of the call, arrays included.
  std::size_t index;
};
/// Converts a Python number and appends it. Throws `SignatureMismatch` if the value is not a number of this type or is
/// out of its range, and if the arguments need more bytes than a task has. `what` is for the message.
void append_scalar(Arguments& arguments, ScalarType type, pybind11::handle value, const Argument& what);

}  // namespace troupe::python
