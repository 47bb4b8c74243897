/// Conversions of Python numbers, texts and paths to C++. Every object with `__index__` counts as an integer, so
/// numpy's integers do, too.
#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "troupe/units.hpp"

namespace troupe::python {

/// Returns true for a boolean of Python or numpy.
[[nodiscard]] bool is_boolean(pybind11::handle value);

/// The reason why a Python value cannot be converted to an integer type.
enum class IntegerFault : std::uint8_t { no_integer, negative, too_small, too_large };

/// The number, or the fault if there is no number.
template <class T>
struct Integer {
  std::optional<T> value = std::nullopt;
  IntegerFault fault = IntegerFault::no_integer;
};

template <class T>
Integer<T> integer_of(pybind11::handle value) {
  const auto index = pybind11::reinterpret_steal<pybind11::object>(PyNumber_Index(value.ptr()));
  if (!index) {
    PyErr_Clear();
    return {};
  }
  int beyond = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &beyond);
  const bool negative = beyond < 0 || (beyond == 0 && number < 0);
  if constexpr (std::is_unsigned_v<T>) {
    if (negative) return {.fault = IntegerFault::negative};
    const unsigned long long whole = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred() == nullptr && whole <= std::numeric_limits<T>::max()) return {static_cast<T>(whole)};
    PyErr_Clear();
  } else if (beyond == 0 && number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max()) {
    return {static_cast<T>(number)};
  }
  return {.fault = negative ? IntegerFault::too_small : IntegerFault::too_large};
}

// The next functions throw `TypeError` for values of another type, and `ValueError` with the reason for values that
// cannot be used. The caller adds the name of the option or argument to the message: see `named`.

[[noreturn]] void wrong_type();
[[noreturn]] void wrong_value(const std::string& why);

template <class T>
T integer(pybind11::handle value) {
  if (is_boolean(value)) wrong_type();
  const Integer<T> number = integer_of<T>(value);
  if (number.value) return *number.value;
  switch (number.fault) {
    case IntegerFault::no_integer: wrong_type();
    case IntegerFault::negative: wrong_value("a number that is not negative is needed");
    case IntegerFault::too_small:
      wrong_value(fmt::format("the number is too small: the least is {}", std::numeric_limits<T>::min()));
    case IntegerFault::too_large: break;
  }
  wrong_value(fmt::format("the number is too large: the most is {}", std::numeric_limits<T>::max()));
}

/// Returns the digits of an integer of any size.
[[nodiscard]] std::string digits(pybind11::handle value);
[[nodiscard]] bool flag(pybind11::handle value);
[[nodiscard]] double number(pybind11::handle value);
[[nodiscard]] std::string text(pybind11::handle value);
/// Returns the name of a file, which is given as a text, as bytes, or as a path object.
[[nodiscard]] std::string path(pybind11::handle value);
/// Returns a duration that is given in seconds.
[[nodiscard]] Duration time(pybind11::handle value);
/// Returns an amount that is given as a number, or as a text such as "2GB".
[[nodiscard]] Bytes bytes(pybind11::handle value);

/// Calls `convert`, and adds the name to the messages of its exceptions: "priority is int, not 2.5", "priority=...:
/// why".
template <class Convert>
auto named(const std::string& name, const char* type, pybind11::handle value, const Convert& convert) {
  const auto shown = [&] { return std::string(pybind11::repr(value)); };
  try {
    return convert();
  } catch (const pybind11::type_error&) {
    throw pybind11::type_error(fmt::format("{} is {}, not {}", name, type, shown()));
  } catch (const pybind11::value_error& error) {
    throw pybind11::value_error(fmt::format("{}={}: {}", name, shown(), error.what()));
  }
}

}  // namespace troupe::python
