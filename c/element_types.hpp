/// Types of elements and arguments in the C interface.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"
#include "troupe/troupe.h"

namespace troupe::c {

/// The properties of a type that are needed to copy its elements.
struct ElementType {
  std::uint64_t tag = 0;
  std::size_t size = 0;
  std::size_t alignment = 1;
};

/// Returns the properties of a type. Throws `invalid_argument` if the number is no type.
[[nodiscard]] ElementType element_type(troupe_type type);
/// Returns the properties of an argument's type. Throws `invalid_argument` if the number is no type, or if the type is
/// too large for an argument by value.
[[nodiscard]] ArgumentType argument_type(troupe_type type);
/// Returns the type whose elements have this tag (`Layout::element_tag`). Throws `invalid_argument` if this interface
/// has no such type.
[[nodiscard]] troupe_type type_with_tag(std::uint64_t tag);
/// See `troupe_type_define`.
[[nodiscard]] troupe_type define_type(const char* name, std::size_t size, std::size_t alignment);

/// Calls `use.template operator()<T>()` with the C++ type of a built-in type; throws `invalid_argument` for all other
/// types.
template <class Use>
auto with_type(troupe_type type, const Use& use) {
  switch (type) {
    case TROUPE_FLOAT: return use.template operator()<float>();
    case TROUPE_DOUBLE: return use.template operator()<double>();
    case TROUPE_INT8: return use.template operator()<std::int8_t>();
    case TROUPE_UINT8: return use.template operator()<std::uint8_t>();
    case TROUPE_INT16: return use.template operator()<std::int16_t>();
    case TROUPE_UINT16: return use.template operator()<std::uint16_t>();
    case TROUPE_INT32: return use.template operator()<std::int32_t>();
    case TROUPE_INT64: return use.template operator()<std::int64_t>();
    case TROUPE_UINT32: return use.template operator()<std::uint32_t>();
    case TROUPE_UINT64: return use.template operator()<std::uint64_t>();
    case TROUPE_COMPLEX_FLOAT: return use.template operator()<std::complex<float>>();
    case TROUPE_COMPLEX_DOUBLE: return use.template operator()<std::complex<double>>();
    case TROUPE_BOOL: return use.template operator()<bool>();
    default: break;
  }
  throw Error(ErrorCode::invalid_argument, "there is no troupe_type " + std::to_string(type));
}

/// The number of the first type that a program defines.
inline constexpr troupe_type kFirstOwnType = 1000;

}  // namespace troupe::c
