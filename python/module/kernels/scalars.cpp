#include "python/module/kernels/scalars.hpp"

#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "python/module/errors.hpp"
#include "python/module/values.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// Calls `with` with a zero of the C++ type that corresponds to `type`.
template <class With>
auto with_scalar(ScalarType type, const With& with) {
  switch (type) {
    case ScalarType::boolean: return with(bool{});
    case ScalarType::int8: return with(std::int8_t{});
    case ScalarType::int16: return with(std::int16_t{});
    case ScalarType::int32: return with(std::int32_t{});
    case ScalarType::int64: return with(std::int64_t{});
    case ScalarType::uint8: return with(std::uint8_t{});
    case ScalarType::uint16: return with(std::uint16_t{});
    case ScalarType::uint32: return with(std::uint32_t{});
    case ScalarType::uint64: return with(std::uint64_t{});
    case ScalarType::float32: return with(float{});
    case ScalarType::float64: break;
  }
  return with(double{});
}

struct ScalarName {
  std::string_view name;
  ScalarType type;
};
/// The names of types; messages use the first name of each type.
constexpr std::array kScalarNames{
    ScalarName{"bool", ScalarType::boolean},    ScalarName{"int8", ScalarType::int8},
    ScalarName{"int16", ScalarType::int16},     ScalarName{"int32", ScalarType::int32},
    ScalarName{"int64", ScalarType::int64},     ScalarName{"uint8", ScalarType::uint8},
    ScalarName{"uint16", ScalarType::uint16},   ScalarName{"uint32", ScalarType::uint32},
    ScalarName{"uint64", ScalarType::uint64},   ScalarName{"float", ScalarType::float32},
    ScalarName{"double", ScalarType::float64},  ScalarName{"float32", ScalarType::float32},
    ScalarName{"float64", ScalarType::float64}, ScalarName{"int", ScalarType::int32},
    ScalarName{"unsigned", ScalarType::uint32}, ScalarName{"long", ScalarType::int64},
    ScalarName{"size_t", ScalarType::uint64},   ScalarName{"boolean", ScalarType::boolean},
    ScalarName{"int8_t", ScalarType::int8},     ScalarName{"int16_t", ScalarType::int16},
    ScalarName{"int32_t", ScalarType::int32},   ScalarName{"int64_t", ScalarType::int64},
    ScalarName{"uint8_t", ScalarType::uint8},   ScalarName{"uint16_t", ScalarType::uint16},
    ScalarName{"uint32_t", ScalarType::uint32}, ScalarName{"uint64_t", ScalarType::uint64},
};

std::string text_of(const Argument& argument) {
  return fmt::format("codelet '{}': argument {}", argument.codelet, argument.index);
}

[[noreturn]] void refuse(ScalarType type, py::handle value, const Argument& what) {
  raise(ErrorCode::signature_mismatch,
        fmt::format("{} is a {}, but {} was passed", text_of(what), name_of(type), std::string(py::repr(value))));
}

template <class T>
T convert(ScalarType type, py::handle value, const Argument& what) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!is_boolean(value) && PyIndex_Check(value.ptr()) == 0) refuse(type, value, what);
    return PyObject_IsTrue(value.ptr()) == 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(type, value, what);
    }
    return static_cast<T>(number);
  } else {
    const Integer<T> number = integer_of<T>(value);
    if (number.value) return *number.value;
    if (number.fault == IntegerFault::no_integer) refuse(type, value, what);
    const char* const fault = number.fault == IntegerFault::too_large   ? "for which {} is too large"
                              : number.fault == IntegerFault::too_small ? "for which {} is too small"
                                                                        : "which {} is not: it is negative";
    raise(ErrorCode::signature_mismatch, fmt::format("{} is a {}, {}", text_of(what), name_of(type),
                                                     fmt::format(fmt::runtime(fault), std::string(py::str(value)))));
  }
}

}  // namespace

std::optional<ScalarType> scalar_named(std::string_view name) {
  for (const ScalarName& known : kScalarNames) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

std::string_view name_of(ScalarType type) {
  for (const ScalarName& known : kScalarNames) {
    if (known.type == type) return known.name;
  }
  return "number";
}

ArgumentType argument_type_of(ScalarType type) {
  return with_scalar(type, []<class T>(T) { return ArgumentType::of<T>(); });
}

std::optional<ScalarType> scalar_with(std::uint64_t tag) {
  for (const ScalarName& known : kScalarNames) {
    if (argument_type_of(known.type).tag == tag) return known.type;
  }
  return std::nullopt;
}

void append_scalar(Arguments& arguments, ScalarType type, py::handle value, const Argument& what) {
  with_scalar(type, [&]<class T>(T) {
    const T number = convert<T>(type, value, what);
    if (arguments.append_bytes(type_tag<T>(), sizeof(T), alignof(T), &number)) return;
    raise(ErrorCode::signature_mismatch,
          text_of(what) + " has no room: a task takes 7 numbers by value, and 40 bytes in all");
  });
}

}  // namespace troupe::python
